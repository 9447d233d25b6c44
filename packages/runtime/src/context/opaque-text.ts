import type { JsonValue, OpaqueBlock, TextContentBlock } from '@rondo/protocol';
import { cutText } from '../event/cut-text.ts';
import { isArray, isObject } from '../tool/json-shape.ts';

/** Members whose text a person would have seen, in the vendors' words for it. */
const visible: ReadonlySet<string> = new Set([
  'name',
  'query',
  'queries',
  'title',
  'url',
  'text',
  'code',
  'stdout',
  'stderr',
  'output',
  'summary',
  'results',
]);
const MOST_PIECES = 20;
const LONGEST_PIECE = 300;

/**
 * What a block that only its provider understands said, for a model of another one; undefined when there was nothing to
 * be seen in it, as in what is encrypted.
 */
export function opaqueText({ raw }: OpaqueBlock): TextContentBlock | undefined {
  const pieces: string[] = [];
  collect(raw, undefined, pieces);
  if (pieces.length === 0) return undefined;
  const type = isObject(raw) && typeof raw['type'] === 'string' ? cutText(raw['type'], 100) : 'block';
  return { type: 'text', text: `[${type}, in short: ${pieces.join('; ')}]`.toWellFormed() };
}

function collect(value: JsonValue, name: string | undefined, pieces: string[]): void {
  if (pieces.length >= MOST_PIECES) return;
  if (typeof value === 'string') {
    const text = value.trim();
    if (name !== undefined && visible.has(name) && text !== '')
      pieces.push(text.length > LONGEST_PIECE ? `${cutText(text, LONGEST_PIECE)}…` : text);
    return;
  }
  if (isArray(value)) {
    for (const member of value) collect(member, name, pieces);
    return;
  }
  if (!isObject(value)) return;
  for (const [key, member] of Object.entries(value)) collect(member, key, pieces);
}
