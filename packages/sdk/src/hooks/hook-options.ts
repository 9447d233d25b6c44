import type { JsonObject } from '@rondo/protocol';
import { readPermissionRule, type EventHook } from '@rondo/runtime';
import type { HookEntry, NoteProblem } from './hook-entry.ts';
import { hookEventFacts } from './hook-event-facts.ts';

/** The longest that a hook may take, in seconds. */
export const longestTimeout = 3600;

const known = new Set([
  'type',
  'command',
  'prompt',
  'model',
  'url',
  'headers',
  'allowedEnvVars',
  'server',
  'tool',
  'input',
  'timeout',
  'async',
  'asyncRewake',
  'rewakeMessage',
  'rewakeSummary',
  'statusMessage',
  'description',
  'id',
  'if',
  'shell',
  'once',
  'failOpen',
  'matcher',
]);

/** Whether a call is of the kind that a permission rule names. Throws where that cannot be told. */
export type MatchesRule = (
  rule: string,
  call: { readonly toolName: string; readonly input: unknown },
) => boolean | Promise<boolean>;

export interface HookOptionsContext {
  readonly note: NoteProblem;
  readonly defaultTimeout: number;
  readonly matchesRule?: MatchesRule | undefined;
}

/** What every kind of hook of settings may say of when and how it runs. What is wrong with it is noted. */
export function readHookOptions(
  { event, fields, key }: HookEntry,
  { note, defaultTimeout, matchesRule }: HookOptionsContext,
): Omit<EventHook, 'name' | 'event' | 'matches' | 'run'> {
  const { power, subject } = hookEventFacts[event];
  noteUnknown(fields, key, note);
  const isBackground = isTrue(fields, 'async', key, note) || isTrue(fields, 'asyncRewake', key, note);
  if (isBackground && power === 'guards')
    note(`${key}.async`, 'warning', 'makes a hook that nobody waits for: it denies nothing');
  if (fields['asyncRewake'] === true)
    note(`${key}.asyncRewake`, 'notice', 'is read as async: what it says is told to the model later, and wakes nobody');
  const rule = fields['if'];
  const usesRule = rule !== undefined && isUsableRule(rule, subject, key, note);
  return {
    timeoutMs: readTimeout(fields['timeout'], defaultTimeout, key, note) * 1000,
    ...(isBackground ? { background: true } : {}),
    ...(isTrue(fields, 'once', key, note) ? { once: true } : {}),
    ...(isTrue(fields, 'failOpen', key, note) ? { failOpen: true } : {}),
    ...(usesRule && typeof rule === 'string' && matchesRule !== undefined
      ? { appliesTo: (input) => matchesRule(rule, callOf(input)) }
      : {}),
  };
}

function callOf(input: JsonObject): { readonly toolName: string; readonly input: unknown } {
  const { tool_name: toolName, tool_input: toolInput } = input;
  if (typeof toolName === 'string') return { toolName, input: toolInput };
  throw new TypeError('the hook was told of no tool');
}

function isUsableRule(rule: unknown, subject: string | undefined, key: string, note: NoteProblem): boolean {
  if (typeof rule !== 'string' || rule.trim() === '') {
    note(`${key}.if`, 'warning', 'takes one permission rule: the hook runs on every call', '"Bash(git push:*)"');
    return false;
  }
  if (subject !== 'tool_name') {
    note(`${key}.if`, 'notice', 'has no effect at an event that is about no call');
    return false;
  }
  for (const { severity, problem, suggestion } of readPermissionRule(rule, 'deny').notices)
    if (severity === 'error') note(`${key}.if`, 'warning', `${problem}: the hook runs on every call`, suggestion);
  return true;
}

function readTimeout(timeout: unknown, defaultTimeout: number, key: string, note: NoteProblem): number {
  if (timeout === undefined || timeout === null) return defaultTimeout;
  if (typeof timeout !== 'number' || !(timeout > 0)) {
    note(`${key}.timeout`, 'warning', `takes seconds above 0: ${defaultTimeout} are used`);
    return defaultTimeout;
  }
  if (timeout >= 1000) {
    const capped = timeout > longestTimeout ? `, capped to ${longestTimeout}` : '';
    const meant = `"timeout": ${Math.max(1, Math.round(timeout / 1000))}`;
    note(`${key}.timeout`, 'warning', `looks like milliseconds and is taken as seconds${capped}`, meant);
  }
  return Math.min(timeout, longestTimeout);
}

function isTrue(fields: HookEntry['fields'], name: string, key: string, note: NoteProblem): boolean {
  const value = fields[name];
  if (value === undefined || value === null || typeof value === 'boolean') return value === true;
  note(`${key}.${name}`, 'warning', 'takes true or false, and is taken as false');
  return false;
}

function noteUnknown(fields: HookEntry['fields'], key: string, note: NoteProblem): void {
  for (const field of Object.keys(fields)) {
    if (known.has(field)) continue;
    if (field === 'onFailure' || field === 'blocking') note(`${key}.${field}`, 'notice', notSupported(field));
    else note(`${key}.${field}`, 'notice', 'is not known and has no effect');
  }
}

function notSupported(field: string): string {
  return `${field === 'onFailure' ? 'has' : 'is not known and has'} no effect: a hook that fails denies a call anyway (PreToolUse, PermissionRequest) unless it is failOpen; elsewhere exit with 2 to block`;
}
