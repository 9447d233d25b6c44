import { isUuid } from '@rondo/protocol/values';
import type { OptionKind } from './option-table.ts';

const modes = ['default', 'acceptEdits', 'bypassPermissions', 'plan', 'dontAsk', 'auto'];
const sources = ['user', 'project', 'local'];
const efforts = ['low', 'medium', 'high', 'xhigh', 'max'];

interface Expectation {
  readonly is: string;
  readonly holds: (value: unknown) => boolean;
  /** What is in it may be a secret, and is not shown. */
  readonly isSecret?: true;
}

const expectations: Readonly<Record<OptionKind, Expectation>> = {
  'abort controller': { is: 'an AbortController', holds: (value) => isObject(value) && isObject(value['signal']) },
  boolean: { is: 'true or false', holds: (value) => typeof value === 'boolean' },
  function: { is: 'a function', holds: (value) => typeof value === 'function' },
  // What is in it is checked, with the place of each part, when they are compiled.
  hooks: { is: 'an object of events, such as { PreToolUse: [{ matcher, hooks: [function] }] }', holds: isMap },
  // What is in them is checked with the place of each part.
  'MCP servers': {
    is: "an object of servers by their names, such as { files: createSdkMcpServer({ name: 'files', tools }) }",
    holds: isMap,
    isSecret: true,
  },
  'tool aliases': { is: "an object such as { Bash: 'mcp__server__tool' }", holds: isMap },
  model: {
    is: 'the name of a model, or a Model with a stream function',
    holds: (value) =>
      isText(value) || (isObject(value) && typeof value['stream'] === 'function' && isText(value['name'])),
  },
  // What is in it is checked with the place of each key.
  'model settings': { is: 'an object', holds: isMap },
  'permission mode': { is: `one of ${modes.join(', ')}`, holds: (value) => modes.includes(value as string) },
  effort: { is: `one of ${efforts.join(', ')}`, holds: (value) => efforts.includes(value as string) },
  // Whether the schema is one is said when it is compiled.
  'output format': {
    is: "{ type: 'json_schema', schema: { … } }",
    holds: (value) =>
      isObject(value) &&
      value['type'] === 'json_schema' &&
      isObject(value['schema']) &&
      !Array.isArray(value['schema']),
  },
  'positive number': { is: 'a number above 0', holds: (value) => Number.isFinite(value) && (value as number) > 0 },
  'positive whole number': {
    is: 'a whole number from 1',
    holds: (value) => Number.isSafeInteger(value) && (value as number) > 0,
  },
  flags: {
    is: 'an object of texts, or null for a flag without a value',
    isSecret: true,
    holds: (value) =>
      isMap(value) && Object.values(value).every((entry) => entry === null || typeof entry === 'string'),
  },
  'record of strings': {
    is: 'an object of strings',
    isSecret: true,
    holds: (value) =>
      isMap(value) && Object.values(value).every((entry) => entry === undefined || typeof entry === 'string'),
  },
  // What is in it is checked with the place of each key.
  'sandbox settings': { is: 'an object', holds: isMap },
  'message uuid': { is: 'the uuid of a message', holds: isUuid },
  'session store': {
    is: 'an object with the functions append and load',
    holds: (value) => isObject(value) && typeof value['append'] === 'function' && typeof value['load'] === 'function',
  },
  'store flush': { is: "'batched' or 'eager'", holds: (value) => value === 'batched' || value === 'eager' },
  'session ID': { is: 'a session ID, which is a UUID', holds: isUuid },
  'setting sources': {
    is: "a list of 'user', 'project' and 'local'",
    holds: (value) => Array.isArray(value) && value.every((source) => sources.includes(source as string)),
  },
  settings: { is: 'an object of settings', holds: isMap },
  'settings or text': {
    is: 'an object of settings, or a path or JSON as text',
    holds: (value) => isText(value) || isMap(value),
  },
  string: { is: 'a text', holds: isText },
  strings: { is: 'a list of texts', holds: isTexts },
  'system prompt': {
    is: "a text, or { type: 'preset', preset: 'claude_code', append }",
    holds: (value) =>
      typeof value === 'string' ||
      (isPreset(value) && (value['append'] === undefined || typeof value['append'] === 'string')),
  },
  'task budget': {
    is: '{ total } with a whole number of tokens from 1',
    holds: (value) => isObject(value) && Number.isSafeInteger(value['total']) && (value['total'] as number) > 0,
  },
  thinking: {
    is: "{ type: 'adaptive' }, { type: 'enabled', budgetTokens } or { type: 'disabled' }, the first two with display: 'summarized' or 'omitted'",
    holds: isThinking,
  },
  tools: {
    is: "a list of tool names, or { type: 'preset', preset: 'claude_code' }",
    holds: (value) => isTexts(value) || isPreset(value),
  },
  'set-up': {
    is: "'init' or 'maintenance'",
    holds: (value) => value === 'init' || value === 'maintenance',
  },
  'unfinished turn': {
    is: "'settle' or 'continue'",
    holds: (value) => value === 'settle' || value === 'continue',
  },
  'whole number': {
    is: 'a whole number from 0',
    holds: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
  },
};

/** What is wrong with an option's value, in words that follow its name; undefined when nothing is. */
export function optionProblem(kind: OptionKind, value: unknown): string | undefined {
  const { is, holds, isSecret } = expectations[kind];
  if (holds(value)) return undefined;
  return `takes ${is}, not ${isSecret === true && isObject(value) ? kindOf(value) : shown(value)}`;
}

/** A value in the words of an error, whatever it is. */
export function shown(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  const text = isObject(value) ? jsonOf(value) : String(value);
  const quoted = typeof value === 'string' ? JSON.stringify(value) : text;
  return quoted.length > 80 ? `${quoted.slice(0, 80)}…` : quoted;
}

/** Of what is no JSON, what kind of thing it is. */
function jsonOf(value: object): string {
  try {
    return JSON.stringify(value) ?? kindOf(value);
  } catch {
    return kindOf(value);
  }
}

function kindOf(value: object): string {
  return Array.isArray(value) ? 'a list' : 'this object';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** An object of things by their names, which a list or a `Map` is not. */
function isMap(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !(Symbol.iterator in value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

function isThinking(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { type, budgetTokens, display } = value;
  if (type === 'disabled') return true;
  if (display !== undefined && display !== 'summarized' && display !== 'omitted') return false;
  if (type === 'adaptive') return true;
  return (
    type === 'enabled' &&
    (budgetTokens === undefined || (Number.isSafeInteger(budgetTokens) && (budgetTokens as number) > 0))
  );
}

function isPreset(value: unknown): value is Record<string, unknown> {
  return isObject(value) && value['type'] === 'preset' && value['preset'] === 'claude_code';
}
