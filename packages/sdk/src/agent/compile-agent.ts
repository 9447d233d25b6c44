import { hash } from 'node:crypto';
import { resolve } from 'node:path';
import { checkHandleOptions, type ClientToolStub, isClientTool } from '@rondo/client';
import type { TurnLimits } from '@rondo/protocol';
import { canonicalJson } from '@rondo/protocol/values';
import {
  checkHooks,
  compilePolicy,
  isTool,
  type AgentPermissionMode,
  type AgentPermissionPolicy,
  type Binding,
  type Model,
  type Policy,
  type Sandbox,
  type Tool,
} from '@rondo/runtime';
import { commandEnvironment, providerSecrets, type Environment } from '../options/command-environment.ts';
import { configuredKeyVariables, loadModel } from '../options/load-model.ts';
import { checkModelSettings } from '../settings/check-model-settings.ts';
import { loadSandbox } from '../options/load-sandbox.ts';
import { loadManagedPolicy, type ManagedPolicy } from '../settings/managed-policy.ts';
import { minimalPrompt } from '../options/system-prompt.ts';
import { modelRetries } from '../options/model-retries.ts';
import type { AgentOptions } from './agent-options.ts';
import { customizeAgent, reasoningOf } from './customize-agent.ts';
import { outputSchema } from './output-schema.ts';
import { engineTool } from './engine-tool.ts';
import { handleOptions } from './handle-options.ts';
import { checkInputsDefinedOnce } from './session-inputs.ts';

export const defaultAgentName = 'default_agent';

/** Tools of a program carry this namespace in policies. */
const ownNamespace = 'client.';

/** @throws TypeError naming the option that cannot be, before anything is loaded. */
export function checkAgentOptions(options: AgentOptions<unknown>): void {
  const { model, models, tools = [], guardrails = [], hooks = [] } = options;
  if (models !== undefined) checkModelSettings(models, 'models');
  if (typeof model === 'string' ? model.trim() === '' : typeof model?.stream !== 'function') {
    throw new TypeError('model must be the name of a model, or a Model with a stream function');
  }
  const names = new Set<string>();
  checkTools(tools, 'tools', names);
  checkHooks({ guardrails, hooks });
  for (const hook of [...guardrails, ...hooks]) checkTools(hook.tools ?? [], `tools of the hook "${hook.name}"`, names);
  checkHandleOptions(handleOptions(options));
  if (options.outputType !== undefined) outputSchema(options.outputType);
  checkInputsDefinedOnce({ tools: toolsOf(options).map(engineTool), guardrails, hooks });
  checkLimits(options);
}

function checkTools(tools: readonly unknown[], list: string, names: Set<string>): void {
  for (const [index, tool] of tools.entries()) {
    if (!isTool(tool) && !isClientTool(tool))
      throw new TypeError(`${list}[${index}] is no tool; make it with defineTool or clientTool`);
    if (names.has(tool.name))
      throw new TypeError(`${list}[${index}]: there is another tool ${tool.name}; give each a name of its own`);
    names.add(tool.name);
  }
}

/** The agent's own, and those that its hooks bring. */
function toolsOf({
  tools = [],
  guardrails = [],
  hooks = [],
}: AgentOptions<unknown>): readonly (Tool | ClientToolStub)[] {
  return [...tools, ...[...guardrails, ...hooks].flatMap((hook) => hook.tools ?? [])];
}

function checkLimits({
  maxIterations,
  maxDurationMs,
  hookRetries,
  maxBudgetUsd,
  temperature,
}: AgentOptions<unknown>): void {
  for (const [name, value, least] of [
    ['maxIterations', maxIterations, 1],
    ['maxDurationMs', maxDurationMs, 1],
    ['hookRetries', hookRetries, 0],
  ] as const) {
    if (value !== undefined && !(Number.isSafeInteger(value) && value >= least))
      throw new TypeError(`${name} is ${value}; it is a whole number from ${least}`);
  }
  if (temperature !== undefined && !(temperature >= 0 && temperature <= 2))
    throw new TypeError(`temperature is ${temperature}; it is a number from 0 to 2`);
  if (maxBudgetUsd !== undefined && !(Number.isFinite(maxBudgetUsd) && maxBudgetUsd > 0))
    throw new TypeError(`maxBudgetUsd is ${maxBudgetUsd}; it is an amount above 0`);
}

/** What the agent's sessions run with. */
export async function compileAgent(options: AgentOptions<unknown>, env: Environment, home: string): Promise<Binding> {
  const { models, environment, reasoningEffort, guardrails, hooks, hookRetries } = options;
  const tools = toolsOf(options).map(engineTool);
  const limits = limitsOf(options);
  const cwd = resolve(options.cwd ?? process.cwd());
  const modelOf = (given: string | Model): Promise<Model> => loadModel(given, { env, user: {}, models, cwd, home });
  const managed = await loadManagedPolicy({ cwd, home, env });
  const [model, sandbox] = await Promise.all([
    modelOf(options.model),
    environment ?? loadSandbox(managedSandbox(managed, { cwd, home, env })),
  ]);
  const { permissionMode = 'auto', permissionPolicy = { default: 'allow', rules: [] } } = options;
  const agentPolicy = withoutNamespace(permissionPolicy, tools);
  const policyIn = (agentMode: AgentPermissionMode): Policy => {
    const own = compilePolicy({ directories: [cwd], tools, agentMode, agentPolicy });
    return managed === undefined ? own : managed.within(own, tools);
  };
  const keyVariables = configuredKeyVariables(models);
  const retry = modelRetries(env);
  const binding: Binding = {
    agent: { name: options.name ?? defaultAgentName, fingerprint: fingerprintOf(options) },
    cwd,
    model,
    system: options.instructions ?? minimalPrompt,
    tools,
    policy: policyIn(permissionMode),
    unattended: 'wait',
    sandbox: sandbox satisfies Sandbox,
    env: commandEnvironment(env, keyVariables),
    secrets: providerSecrets(env, keyVariables),
    ...(limits === undefined ? {} : { limits }),
    ...(guardrails === undefined ? {} : { guardrails: [...guardrails] }),
    ...(hooks === undefined ? {} : { hooks: [...hooks] }),
    ...(hookRetries === undefined ? {} : { hookRetries }),
    ...(retry === undefined ? {} : { retry }),
    ...(options.description === undefined ? {} : { description: options.description }),
    ...reasoningOf(reasoningEffort),
    ...(options.temperature === undefined ? {} : { temperature: options.temperature }),
    ...(options.outputType === undefined ? {} : { output: { schema: outputSchema(options.outputType) } }),
    customize: (customization) =>
      customizeAgent({ binding, permissionMode, loadModel: modelOf, policyIn }, customization),
  };
  return binding;
}

/** The sandbox that an administrator switches on for everybody. */
function managedSandbox(
  managed: ManagedPolicy | undefined,
  { cwd, home, env }: { readonly cwd: string; readonly home: string; readonly env: Environment },
): Parameters<typeof loadSandbox>[0] {
  if (managed?.sandbox?.enabled !== true) return undefined;
  const note = (text: string) => void process.stderr.write(`${text}\n`);
  return { settings: managed.sandbox, folders: [cwd], home: env['HOME'], protected: [home], note };
}

function limitsOf({ maxIterations, maxDurationMs, maxBudgetUsd }: AgentOptions<unknown>): TurnLimits | undefined {
  if (maxIterations === undefined && maxDurationMs === undefined && maxBudgetUsd === undefined) return undefined;
  return {
    ...(maxIterations === undefined ? {} : { maxTurns: maxIterations }),
    ...(maxDurationMs === undefined ? {} : { maxDurationMs }),
    ...(maxBudgetUsd === undefined ? {} : { maxBudgetUsd }),
  };
}

/** The same for agents that are the same to a session: name, instructions, and what the model knows of each tool. */
function fingerprintOf(options: AgentOptions<unknown>): string {
  const { name = defaultAgentName, instructions = '' } = options;
  const known = toolsOf(options).map((given) => {
    const tool = engineTool(given);
    const { name: toolName, description, inputSchema } = tool.specification();
    return { name: toolName, description, inputSchema };
  });
  // In which order they were given changes nothing of what the agent is.
  known.sort((one, other) => (one.name < other.name ? -1 : 1));
  return hash('sha256', canonicalJson({ name, instructions, tools: known }));
}

function withoutNamespace(policy: AgentPermissionPolicy, tools: readonly Tool[]): AgentPermissionPolicy {
  const own = new Set(tools.map((tool) => `${ownNamespace}${tool.name}`));
  const rules = policy.rules.map((rule) => ({
    ...rule,
    tools: rule.tools.map((id) => (own.has(id) ? id.slice(ownNamespace.length) : id)),
  }));
  return { ...policy, rules };
}
