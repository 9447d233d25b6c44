import type { JsonValue } from '@rondo/protocol';
import { depthOf } from '../event/session-tree-id.ts';
import { defineTool } from '../tool/define-tool.ts';
import type { Reconciliation, Tool, ToolContext, ToolResult } from '../tool/tool.ts';
import type { Binding, SubagentDefinition } from '../turn/binding.ts';

export const SPAWN_TOOL = 'agents.spawn';

export const MAX_DEPTH = 3;

export interface SpawnInput {
  readonly agent: string;
  readonly task: string;
  readonly copyConversation?: boolean | undefined;
}

/** What calls of the tool do. */
export interface SpawnCalls {
  prepare(input: SpawnInput, context: ToolContext): Promise<JsonValue>;
  reconcile(input: SpawnInput, prepared: JsonValue, context: ToolContext): Promise<Reconciliation>;
  run(input: SpawnInput, context: ToolContext): Promise<ToolResult>;
}

/** Whether a session that works with the binding has the tool: there are agents, and it is not too deep for them. */
export function mayStartAgents(sessionId: string, { subagents = [], subagentPolicy }: Binding): boolean {
  return subagents.length > 0 && depthOf(sessionId) < (subagentPolicy?.maxDepth ?? MAX_DEPTH);
}

/** The tool by which a model starts these agents. */
export function defineSpawnTool(subagents: readonly SubagentDefinition[], calls: SpawnCalls): Tool {
  return defineTool({
    name: SPAWN_TOOL,
    kind: 'builtin',
    description: describe(subagents),
    delegates: true,
    ruleContent: 'name',
    access: ({ agent }) => ({ names: [agent] }),
    effect: 'reconcile',
    input: {
      type: 'object',
      properties: {
        agent: { type: 'string', enum: subagents.map(({ name }) => name), description: 'The agent that does it.' },
        task: { type: 'string', minLength: 1, description: 'All that the agent is told: it has no other message.' },
        copyConversation: {
          type: 'boolean',
          description: 'Lets the agent begin with a copy of this conversation. Without it the task stands alone.',
        },
      },
      required: ['agent', 'task'],
      additionalProperties: false,
    },
    prepare: (input, context) => calls.prepare(input, context),
    reconcile: (input, prepared, context) => calls.reconcile(input, prepared, context),
    run: (input, context) => calls.run(input, context),
  });
}

function describe(subagents: readonly SubagentDefinition[]): string {
  const lines = subagents.map(({ name, description }) => `- ${name}: ${description}`);
  return `Gives a task to an agent of its own, which works by itself and answers with its final text. Calls made in one message work at once.\nThe agents:\n${lines.join('\n')}`;
}
