import type { JsonObject, JsonValue } from '@rondo/protocol';
import { isJsonObject, parseJsonObject } from '../dialect/json.ts';
import type { PieceFrame } from '../dialect/plain-pieces.ts';

/** The field of a delta that holds text, and what kind of text it is. */
export type TextField = 'content' | 'reasoning_content' | 'reasoning';

export interface PlainChunk {
  readonly field: TextField;
  readonly text: string;
}

/** What the events of a stream look like that are nothing but a piece of the text in that field. */
export interface PlainShape {
  readonly field: TextField;
  readonly data: PieceFrame;
  /** The same with what makes an event of it. */
  readonly event: PieceFrame;
}

const fields: readonly TextField[] = ['content', 'reasoning_content', 'reasoning'];
const idle: ReadonlySet<string> = new Set([
  'id',
  'object',
  'created',
  'model',
  'provider',
  'system_fingerprint',
  'service_tier',
  'choices',
  'index',
  'delta',
  'role',
]);

/** The piece of text that a chunk is, if it is nothing else: no end, no usage, no field that we do not know. */
export function readPlainChunk(chunk: JsonObject): PlainChunk | undefined {
  const choices = chunk['choices'];
  if (!Array.isArray(choices) || choices.length !== 1 || !isIdle(chunk)) return undefined;
  const choice = (choices as readonly JsonValue[])[0];
  const delta = isJsonObject(choice) && isIdle(choice) ? choice['delta'] : undefined;
  if (!isJsonObject(delta)) return undefined;
  const [field, another] = fields.filter((name) => typeof delta[name] === 'string' && delta[name] !== '');
  const text = field === undefined ? undefined : delta[field];
  if (field === undefined || another !== undefined || typeof text !== 'string') return undefined;
  return isIdle(delta, fields) ? { field, text } : undefined;
}

/** No member says anything but those that are named. */
function isIdle(value: JsonObject, named: readonly string[] = []): boolean {
  return Object.entries(value).every(
    ([key, member]) =>
      idle.has(key) || named.includes(key) || member === null || (Array.isArray(member) && member.length === 0),
  );
}

const probe = 'a text to look for';

/**
 * Learns from one event what all events like it look like, so that the next ones need no parser: servers write the same
 * bytes around every piece. Proved by putting another text in the same place. Undefined where the text needs an escape.
 */
export function learnPlainShape(data: string, { field, text }: PlainChunk): PlainShape | undefined {
  if (JSON.stringify(text) !== `"${text}"` || data.includes('\n')) return undefined;
  const found = [`"${field}":"${text}"`, `"${field}": "${text}"`].find((member) => data.includes(member));
  if (found === undefined) return undefined;
  const start = data.indexOf(found) + found.length - text.length - 1;
  const before = data.slice(0, start);
  const after = data.slice(start + text.length);
  const probed = parseJsonObject(`${before}${probe}${after}`);
  const read = probed && readPlainChunk(probed);
  if (read?.field !== field || read.text !== probe) return undefined;
  return { field, data: { before, after }, event: { before: `data: ${before}`, after: `${after}\n\n` } };
}
