import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { RondoError } from '@rondo/protocol/values';
import { isRecord } from '../is-record.ts';

/** An option as it was given, of whatever shape: what it may be is judged by the peer. */
type Given = Readonly<Record<string, unknown>>;
type ToFlags = (value: unknown, given: Given) => readonly string[];

/** What every peer is told, in this order. */
const baseline = ['--output-format', 'stream-json', '--verbose', '--input-format', 'stream-json'];

const flag =
  (name: string): ToFlags =>
  (value) => [`--${name}=${text(value)}`];

const twoTokens =
  (name: string): ToFlags =>
  (value) => [`--${name}`, text(value)];

const flagIf =
  (name: string, wanted: unknown = true): ToFlags =>
  (value) =>
    value === wanted ? [`--${name}`] : [];

const joined =
  (name: string): ToFlags =>
  (value) =>
    list(value).length === 0 ? [] : [`--${name}=${list(value).join(',')}`];

/** What an option becomes on the command line of a peer; options that are not here travel in `initialize`, or not at all. */
export const optionFlags: Readonly<Record<string, ToFlags>> = {
  additionalDirectories: (value) => list(value).map((folder) => `--add-dir=${folder}`),
  agent: flag('agent'),
  allowDangerouslySkipPermissions: flagIf('allow-dangerously-skip-permissions'),
  allowedTools: (_, given) => allowedTools(given),
  disallowedTools: joined('disallowedTools'),
  betas: joined('betas'),
  canUseTool: () => ['--permission-prompt-tool=stdio'],
  permissionPromptToolName: flag('permission-prompt-tool'),
  continue: flagIf('continue'),
  resume: flag('resume'),
  forkSession: flagIf('fork-session'),
  resumeSessionAt: flag('resume-session-at'),
  sessionId: flag('session-id'),
  persistSession: flagIf('no-session-persistence', false),
  debug: flagIf('debug'),
  debugFile: flag('debug-file'),
  effort: flag('effort'),
  model: flag('model'),
  fallbackModel: flag('fallback-model'),
  maxTurns: flag('max-turns'),
  maxBudgetUsd: flag('max-budget-usd'),
  taskBudget: (value) => [`--task-budget=${text(isRecord(value) ? value['total'] : value)}`],
  maxThinkingTokens: (value, given) =>
    given['thinking'] === undefined ? flag('max-thinking-tokens')(value, given) : [],
  thinking: thinkingFlags,
  includeHookEvents: flagIf('include-hook-events'),
  includePartialMessages: flagIf('include-partial-messages'),
  mcpServers: (value) => mcpConfig(value),
  strictMcpConfig: flagIf('strict-mcp-config'),
  outputFormat: (value) =>
    isRecord(value) && value['type'] === 'json_schema' ? [`--json-schema=${text(value['schema'])}`] : [],
  permissionMode: flag('permission-mode'),
  plugins: (value) => records(value).map((plugin) => `--plugin-dir=${text(plugin['path'])}`),
  settings: (_, given) => settingsFlags(given),
  sandbox: (_, given) => (given['settings'] === undefined ? settingsFlags(given) : []),
  managedSettings: twoTokens('managed-settings'),
  settingSources: (value) => [`--setting-sources=${list(value).join(',')}`],
  skills: (_, given) => (list(given['allowedTools']).length === 0 ? allowedTools(given) : []),
  tools: (value) => [`--tools=${Array.isArray(value) ? list(value).join(',') : 'default'}`],
  sessionStore: () => ['--session-mirror'],
  replayUserMessages: flagIf('replay-user-messages'),
  record: flag('record'),
};

/** The command line of a peer, behind its path. */
export function optionArguments(options: object): string[] {
  const given: Given = { ...options };
  const flags = Object.entries(optionFlags).flatMap(([name, toFlags]) =>
    given[name] === undefined || given[name] === null ? [] : toFlags(given[name], given),
  );
  return [...baseline, ...flags, ...extraArguments(given['extraArgs'])];
}

function allowedTools(given: Given): readonly string[] {
  const { skills } = given;
  const forSkills = skills === 'all' ? ['Skill'] : list(skills).map((name) => `Skill(${name})`);
  return joined('allowedTools')([...list(given['allowedTools']), ...forSkills], given);
}

function thinkingFlags(value: unknown): readonly string[] {
  const { type, budgetTokens, display } = isRecord(value) ? value : {};
  const shown = display === undefined ? [] : [`--thinking-display=${text(display)}`];
  if (type === 'enabled' && budgetTokens !== undefined)
    return [`--max-thinking-tokens=${text(budgetTokens)}`, ...shown];
  // Enabled without a budget leaves the amount to the model, which is what adaptive means.
  return type === 'disabled' ? ['--thinking=disabled'] : ['--thinking=adaptive', ...shown];
}

/** Servers that the peer reaches by itself. Those of this program are named in `initialize`. */
function mcpConfig(value: unknown): readonly string[] {
  const servers = Object.entries(isRecord(value) ? value : {}).filter(
    ([, server]) => !isRecord(server) || server['type'] !== 'sdk',
  );
  return servers.length === 0 ? [] : ['--mcp-config', JSON.stringify({ mcpServers: Object.fromEntries(servers) })];
}

/** Settings of the program, with the sandbox in them: one flag for both. */
function settingsFlags(given: Given): readonly string[] {
  const { settings, sandbox } = given;
  if (sandbox === undefined) return ['--settings', text(settings)];
  const shutIn = { failIfUnavailable: true, ...(isRecord(sandbox) ? sandbox : {}) };
  return ['--settings', JSON.stringify({ ...readSettings(settings, given['cwd']), sandbox: shutIn })];
}

function readSettings(settings: unknown, cwd: unknown): Given {
  if (isRecord(settings)) return settings;
  if (typeof settings !== 'string') return {};
  try {
    const source = settings.trimStart().startsWith('{')
      ? settings
      : readFileSync(resolve(typeof cwd === 'string' ? cwd : '', settings), 'utf8');
    const value: unknown = JSON.parse(source);
    if (isRecord(value)) return value;
  } catch (error) {
    throw unreadable(settings, error);
  }
  throw unreadable(settings);
}

function unreadable(settings: string, cause?: unknown): RondoError {
  const problem = `options.settings cannot be read, so options.sandbox cannot be joined to it: ${settings}`;
  return new RondoError('input.invalid', problem, { cause, details: { option: 'settings' } });
}

function extraArguments(value: unknown): readonly string[] {
  return Object.entries(isRecord(value) ? value : {}).flatMap(([name, argument]) =>
    argument === null ? [`--${name}`] : argument === undefined ? [] : [`--${name}`, text(argument)],
  );
}

function list(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(text) : [];
}

function records(value: unknown): readonly Given[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined');
}
