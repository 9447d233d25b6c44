import type { Catalog, CatalogAgent, CatalogModel, CatalogTool } from '@rondo/protocol';
import type { Model } from '../model/model.ts';
import type { Tool } from '../tool/tool.ts';
import type { Binding } from '../turn/binding.ts';

/** What the bindings of agents, `agent:` and the agent's name, offer to whoever may use them. */
export function readCatalog(
  bindings: ReadonlyMap<string, Binding>,
  isVisible: (binding: Binding) => boolean = () => true,
): Catalog {
  const agents: CatalogAgent[] = [];
  const models = new Map<string, CatalogModel>();
  for (const [bindingId, binding] of bindings) {
    if (bindingId !== `agent:${binding.agent.name}` || !isVisible(binding)) continue;
    const { subagents = [] } = binding;
    for (const model of [binding.model, ...subagents.map((own) => own.model ?? binding.model)])
      models.set(model.name, catalogModel(model));
    agents.push(catalogAgent(bindingId, binding));
  }
  return { agents, models: [...models.values()], commands: [], skills: [] };
}

function catalogAgent(bindingId: string, binding: Binding): CatalogAgent {
  const { agent, description, model, tools, policy, subagents = [], customize } = binding;
  return {
    name: agent.name,
    bindingId,
    ...(description === undefined ? {} : { description }),
    model: model.name,
    tools: tools.map(catalogTool),
    subagents: subagents.map((own) => ({
      name: own.name,
      description: own.description,
      model: (own.model ?? model).name,
    })),
    permissionMode: policy.mode,
    customizable: customize !== undefined,
  };
}

function catalogTool(tool: Tool): CatalogTool {
  const { name, title, annotations } = tool;
  const { description, inputSchema } = tool.specification();
  return {
    name,
    description,
    inputSchema,
    ...(title === undefined ? {} : { title }),
    ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
  };
}

function catalogModel({ name, limits, price }: Model): CatalogModel {
  const { input, output, cacheRead, cacheWrite } = price ?? {};
  return {
    name,
    ...(limits?.contextWindow === undefined ? {} : { contextWindow: limits.contextWindow }),
    ...(limits?.maxOutputTokens === undefined ? {} : { maxOutputTokens: limits.maxOutputTokens }),
    ...(input === undefined || output === undefined
      ? {}
      : {
          price: {
            input,
            output,
            ...(cacheRead === undefined ? {} : { cacheRead }),
            ...(cacheWrite === undefined ? {} : { cacheWrite }),
          },
        }),
  };
}
