import { RondoError } from '@rondo/protocol/values';
import { flagSpelling } from './flag.ts';
import { type ChatValues, chatFlags } from './chat-flags.ts';
import { type JsonFields, jsonFlag, jsonOrFileFlag } from './json-flag.ts';

/** Options of `query()` by name, which judges what it cannot serve. */
export type FurtherOptions = Readonly<Record<string, unknown>>;

const efforts = ['low', 'medium', 'high', 'xhigh', 'max'];
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * What flags say that are passed on as options of their own. Only what was asked for is there.
 * @throws RondoError `input.invalid` naming the flag and what it takes.
 */
export function furtherOptions(values: ChatValues, note: (text: string) => void): FurtherOptions {
  refuseContradictions(values);
  const further: Record<string, unknown> = {
    ...(values.includeHookEvents ? { includeHookEvents: true } : {}),
    ...(values.forwardSubagentText ? { forwardSubagentText: true } : {}),
    ...(values.promptSuggestions ? { promptSuggestions: true } : {}),
    ...(values.strictMcpConfig ? { strictMcpConfig: true } : {}),
    fallbackModel: named('fallbackModel', values.fallbackModel),
    agent: named('agent', values.agent),
    title: named('title', values.title) ?? named('name', values.name),
    effort: effortOf(values.effort, note),
    thinking: thinkingOf(values),
    maxThinkingTokens:
      values.thinking === undefined ? tokens('maxThinkingTokens', values.maxThinkingTokens) : undefined,
    taskBudget: budgetOf(values.taskBudget),
    betas: values.betas,
    outputFormat:
      values.jsonSchema === undefined
        ? undefined
        : { type: 'json_schema', schema: jsonFlag(spelled('jsonSchema'), values.jsonSchema) },
    agents: values.agents === undefined ? undefined : jsonFlag(spelled('agents'), values.agents),
    mcpServers: values.mcpConfig === undefined ? undefined : serversOf(values.mcpConfig),
    plugins: values.pluginDir?.map((path) => ({ type: 'local', path })),
    managedSettings:
      values.managedSettings === undefined ? undefined : jsonFlag(spelled('managedSettings'), values.managedSettings),
    resumeSessionAt: values.resumeSessionAt?.toLowerCase(),
    permissionPromptToolName:
      values.permissionPromptTool === 'stdio' ? undefined : named('permissionPromptTool', values.permissionPromptTool),
  };
  return Object.fromEntries(Object.entries(further).filter(([, value]) => value !== undefined));
}

function refuseContradictions(values: ChatValues): void {
  if (values.resumeSessionAt !== undefined && values.resume === undefined)
    throw invalid('--resume-session-at names a message of a session: it needs --resume.');
  if (values.resumeSessionAt !== undefined && !uuid.test(values.resumeSessionAt))
    throw invalid(`--resume-session-at takes a UUID, not "${values.resumeSessionAt}".`);
  if (values.fallbackModel !== undefined && values.fallbackModel === values.model)
    throw invalid('--fallback-model and --model name the same model: a fallback is another one.');
  if (values.thinkingDisplay !== undefined && !isChoice('thinkingDisplay', values.thinkingDisplay))
    throw invalid(`--thinking-display takes summarized or omitted, not "${values.thinkingDisplay}".`);
  if (values.thinking !== undefined && !isChoice('thinking', values.thinking))
    throw invalid(`--thinking takes adaptive, enabled or disabled, not "${values.thinking}".`);
}

function isChoice(name: 'thinking' | 'thinkingDisplay', value: string): boolean {
  return chatFlags[name].choices.some((choice) => choice === value);
}

/** The reference's command only warns of a level that it does not know. */
function effortOf(level: string | undefined, note: (text: string) => void): string | undefined {
  if (level === undefined || efforts.includes(level)) return level;
  note(`--effort takes ${efforts.join(', ')}, not "${level}": going on without it.`);
  return undefined;
}

function thinkingOf({ thinking: type, thinkingDisplay, maxThinkingTokens }: ChatValues): JsonFields | undefined {
  const display = thinkingDisplay === undefined ? {} : { display: thinkingDisplay };
  const budget = tokens('maxThinkingTokens', maxThinkingTokens);
  if (type === 'disabled' || (type === 'enabled' && budget === 0)) return { type: 'disabled' };
  if (type === 'enabled') return { type, ...(budget === undefined ? {} : { budgetTokens: budget }), ...display };
  if (type === 'adaptive') return { type, ...display };
  if (thinkingDisplay === undefined) return undefined;
  return budget === undefined
    ? { type: 'adaptive', ...display }
    : { type: 'enabled', budgetTokens: budget, ...display };
}

function budgetOf(value: string | undefined): JsonFields | undefined {
  const total = tokens('taskBudget', value);
  return total === undefined ? undefined : { total };
}

function tokens(name: 'maxThinkingTokens' | 'taskBudget', value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const least = name === 'taskBudget' ? 1 : 0;
  if (/^\d+$/.test(value) && Number.isSafeInteger(Number(value)) && Number(value) >= least) return Number(value);
  throw invalid(`${spelled(name)} takes a whole number from ${least}, not "${value}".`);
}

function serversOf(configs: readonly string[]): JsonFields {
  const flag = spelled('mcpConfig');
  return Object.assign(
    {},
    ...configs.map((config) => {
      const { mcpServers } = jsonOrFileFlag(flag, config);
      if (typeof mcpServers === 'object' && mcpServers !== null && !Array.isArray(mcpServers)) return mcpServers;
      throw invalid(`${flag} needs an object of servers under "mcpServers".`);
    }),
  ) as JsonFields;
}

function named(
  name: 'fallbackModel' | 'agent' | 'title' | 'name' | 'permissionPromptTool',
  value: string | undefined,
): string | undefined {
  if (value === undefined || value.trim() !== '') return value;
  throw invalid(`${spelled(name)} needs a value: ${spelled(name)} ${chatFlags[name].placeholder}`);
}

function spelled(name: keyof typeof chatFlags): string {
  return flagSpelling(name, chatFlags[name]);
}

function invalid(message: string): RondoError {
  return new RondoError('input.invalid', message);
}
