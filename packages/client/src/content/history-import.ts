import type {
  HistoryImportEntry,
  HistoryImportMessage,
  HistoryImportReasoning,
  HistoryImportSnapshot,
  HistoryImportToolCall,
  HistoryImportToolResult,
  JsonObject,
  JsonValue,
  MethodParams,
  ProtocolError,
  ToolKind,
} from '@rondo/protocol';
import { copyJsonObject } from './copy-json.ts';
import { contentBlocks, type TurnInputBlocks } from './turn-content.ts';

/** An entry made by one of the functions here, or a plain object with its fields, in camelCase or snake_case. */
export type HistoryInput = HistoryImportEntry | Readonly<Record<string, unknown>>;

type Checked = NonNullable<MethodParams<'session/create'>['history']>;

export interface HistoryMessageFields {
  readonly role: 'system' | 'user' | 'assistant';
  /** Empty by default. A system message takes text blocks only, an assistant message no embedded resource. */
  readonly content?: Readonly<TurnInputBlocks>;
}

/** What the user, the model or the system said. @throws TypeError naming the field that cannot be. */
export function historyMessage(fields: HistoryMessageFields): HistoryImportMessage {
  return made('message', fields);
}

/** The model's reasoning. @throws TypeError naming the field that cannot be. */
export function historyReasoning(fields: { readonly text: string }): HistoryImportReasoning {
  return made('reasoning', fields);
}

export interface HistoryToolCallFields {
  /** Its result carries the same ID. */
  readonly toolCallId: string;
  /** Where the tool comes from; `local` by default. */
  readonly toolKind?: ToolKind;
  readonly name: string;
  /** As they stand in the history: the model's, or what a hook set. Null by default. */
  readonly arguments?: JsonValue;
}

/** A call that the model made; importing it runs nothing. @throws TypeError naming the field that cannot be. */
export function historyToolCall(fields: HistoryToolCallFields): HistoryImportToolCall {
  return made('tool_call', fields);
}

export interface HistoryToolResultFields {
  readonly toolCallId: string;
  readonly name?: string | null;
  /** Of a call that succeeded; null by default. */
  readonly result?: JsonValue;
  /** Of a call that failed, in place of `result`. */
  readonly error?: ProtocolError | null;
  /** Metadata kept with the result; empty by default. */
  readonly annotations?: JsonObject;
}

/** The result of a call, or its error, never both. @throws TypeError naming the field that cannot be. */
export function historyToolResult(fields: HistoryToolResultFields): HistoryImportToolResult {
  return made('tool_result', fields);
}

export interface HistorySnapshotFields {
  readonly taskName: string;
  readonly snapshotType: string;
  /** The model does not read it; null by default. */
  readonly value?: JsonValue;
}

/** Data kept in the history that the model does not see. @throws TypeError naming the field that cannot be. */
export function historySnapshot(fields: HistorySnapshotFields): HistoryImportSnapshot {
  return made('snapshot', fields);
}

/**
 * The entries as they are sent: copies, checked without schemas, with their defaults.
 * @throws TypeError naming the entry and the field that cannot be; then nothing is sent.
 */
export function historyEntries(history: readonly HistoryInput[]): Checked {
  if (!Array.isArray(history)) throw new TypeError('history must be an array of entries');
  return history.map((entry, index) => readEntry(entry, `history.${index}`));
}

/** The fields of each kind, in both spellings, and what each may be. */
const fieldsOf: Readonly<Record<HistoryImportEntry['type'], Readonly<Record<string, Field>>>> = {
  message: { role: oneOf('system', 'user', 'assistant'), content: blocks },
  reasoning: { text },
  tool_call: {
    toolCallId: text,
    toolKind: orElse('local', oneOf('builtin', 'local', 'mcp', 'client', 'plugin', 'connector')),
    name: text,
    arguments: orElse(null, json),
  },
  tool_result: {
    toolCallId: text,
    name: orElse(null, text),
    result: orElse(null, json),
    error: orElse(null, failure),
    annotations: orElse({}, object),
  },
  snapshot: { taskName: text, snapshotType: text, value: orElse(null, json) },
};

const snakeCase: Readonly<Record<string, string>> = {
  toolCallId: 'tool_call_id',
  toolKind: 'tool_kind',
  taskName: 'task_name',
  snapshotType: 'snapshot_type',
};

/** A field's value as it is sent. @throws TypeError naming it. */
type Field = (value: JsonValue | undefined, path: string) => unknown;

function made<Entry extends HistoryImportEntry>(type: Entry['type'], fields: object): Entry {
  const given = 'type' in fields ? fields.type : type;
  if (given !== type) throw new TypeError(`type is ${JSON.stringify(given)}; it is always "${type}" here`);
  // Read field by field: the schema's type holds.
  return Object.freeze(readEntry({ ...fields, type }, type)) as Entry;
}

function readEntry(entry: unknown, path: string): Checked[number] {
  const copy = copyJsonObject(entry, path);
  const { type } = copy;
  if (typeof type !== 'string' || !Object.hasOwn(fieldsOf, type)) {
    const kinds = Object.keys(fieldsOf).join(', ');
    throw new TypeError(
      `${path}.type is ${type === undefined ? 'missing' : JSON.stringify(type)}; it is one of ${kinds}`,
    );
  }
  const fields = fieldsOf[type as HistoryImportEntry['type']];
  const read: Record<string, unknown> = { type };
  for (const [name, field] of Object.entries(fields)) read[name] = field(valueOf(copy, name), `${path}.${name}`);
  checkWhole(read, path);
  // Read field by field just above: the schema's type holds.
  return read as Checked[number];
}

function valueOf(copy: JsonObject, name: string): JsonValue | undefined {
  const snake = snakeCase[name];
  return copy[name] ?? (snake === undefined ? copy[name] : copy[snake]);
}

/** What holds between fields. */
function checkWhole(entry: Readonly<Record<string, unknown>>, path: string): void {
  if (entry.type === 'tool_result' && entry.error !== null && entry.result !== null)
    throw new TypeError(`${path} has both result and error; a call has one of them`);
  if (entry.type !== 'message') return;
  const { role, content } = entry as { role: string; content: TurnInputBlocks };
  for (const [index, block] of content.entries()) {
    if (role === 'system' && block.type !== 'text')
      throw new TypeError(`${path}.content.${index} is of type ${block.type}; a system message takes text only`);
    if (role === 'assistant' && block.type === 'embedded_resource')
      throw new TypeError(`${path}.content.${index} is an embedded resource, which an assistant message cannot hold`);
  }
}

function text(value: JsonValue | undefined, path: string): string {
  if (typeof value !== 'string') throw new TypeError(`${path} must be a string`);
  return value;
}

function json(value: JsonValue | undefined): JsonValue {
  return value ?? null;
}

function object(value: JsonValue | undefined, path: string): JsonObject {
  return copyJsonObject(value, path);
}

function failure(value: JsonValue | undefined, path: string): JsonObject {
  const error = copyJsonObject(value, path);
  text(error.message, `${path}.message`);
  if (error.code !== undefined) text(error.code, `${path}.code`);
  return error;
}

function blocks(value: JsonValue | undefined, path: string): TurnInputBlocks {
  return value === undefined ? [] : contentBlocks(value, path);
}

function oneOf(...values: readonly string[]): Field {
  return (value, path) => {
    if (typeof value === 'string' && values.includes(value)) return value;
    throw new TypeError(
      `${path} is ${value === undefined ? 'missing' : JSON.stringify(value)}; it is one of ${values.join(', ')}`,
    );
  };
}

function orElse(otherwise: JsonValue, field: Field): Field {
  return (value, path) => (value === undefined || value === null ? otherwise : field(value, path));
}
