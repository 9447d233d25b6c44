import type { MethodParams } from '@rondo/protocol';
import { MAX_IMAGE_BASE64_CHARACTERS } from '@rondo/protocol/values';
import { copyJsonObject } from './copy-json.ts';

/** Blocks as a turn's input takes them: every known kind. */
export type TurnInputBlocks = MethodParams<'turn/start'>['content'];

/** What is said to the agent: text, or blocks in order. */
export type TurnInput = string | Readonly<TurnInputBlocks>;

type Check = (block: Readonly<Record<string, unknown>>, path: string) => void;

const checks: Readonly<Record<string, Check>> = {
  text: (block, path) => optional(block, path, 'text', 'string'),
  image(block, path) {
    uri(block, path);
    optional(block, path, 'altText', 'string');
    const { uri: address } = block;
    if (typeof address === 'string' && dataLength(address) > MAX_IMAGE_BASE64_CHARACTERS) {
      throw new TypeError(`${path}.uri: image data is over ${MAX_IMAGE_BASE64_CHARACTERS} base64 characters`);
    }
  },
  audio: uri,
  resource_link(block, path) {
    uri(block, path);
    for (const field of ['name', 'title', 'description']) optional(block, path, field, 'string');
    const { size } = block;
    if (size !== undefined && !(Number.isInteger(size) && (size as number) >= 0)) {
      throw new TypeError(`${path}.size must be a whole number of bytes`);
    }
  },
  embedded_resource(block, path) {
    uri(block, path);
    optional(block, path, 'text', 'string');
    optional(block, path, 'blob', 'string');
    if ((block.text === undefined) === (block.blob === undefined)) {
      throw new TypeError(`${path}: an embedded resource has exactly one of text and blob`);
    }
  },
};

/**
 * The content as it is sent: a copy, checked without schemas.
 * @throws TypeError that names the block and field that a turn's input cannot hold.
 */
export function turnContent(content: TurnInput): TurnInputBlocks {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) throw new TypeError('content must be a string or an array of blocks');
  if (content.length === 0) throw new TypeError('content has no block; a message says something');
  return contentBlocks(content, 'content');
}

/** Copies of the blocks at `path`. @throws TypeError that names the block and field that cannot be. */
export function contentBlocks(content: unknown, path: string): TurnInputBlocks {
  if (!Array.isArray(content)) throw new TypeError(`${path} must be an array of blocks`);
  return content.map((block: unknown, index) => copyBlock(block, `${path}.${index}`));
}

function copyBlock(block: unknown, path: string): TurnInputBlocks[number] {
  const copy = copyJsonObject(block, path);
  const check = typeof copy.type === 'string' && Object.hasOwn(checks, copy.type) ? checks[copy.type] : undefined;
  if (check === undefined) {
    throw new TypeError(`${path}.type is ${JSON.stringify(copy.type)}; a turn takes ${Object.keys(checks).join(', ')}`);
  }
  check(copy, path);
  optional(copy, path, 'mediaType', 'string');
  annotations(copy, path);
  // Checked just above, field by field: the schema's type holds.
  return copy as unknown as TurnInputBlocks[number];
}

function annotations(block: Readonly<Record<string, unknown>>, path: string): void {
  optional(block, path, 'meta', 'object');
  optional(block, path, 'annotations', 'object');
  const { annotations: notes } = block as { annotations?: { priority?: unknown; audience?: unknown } };
  if (
    notes?.priority !== undefined &&
    !(typeof notes.priority === 'number' && notes.priority >= 0 && notes.priority <= 1)
  ) {
    throw new TypeError(`${path}.annotations.priority must lie between 0 and 1`);
  }
  const { audience } = notes ?? {};
  if (audience !== undefined && !(Array.isArray(audience) && audience.every((name) => typeof name === 'string'))) {
    throw new TypeError(`${path}.annotations.audience must be a list of names`);
  }
}

function uri(block: Readonly<Record<string, unknown>>, path: string): void {
  if (typeof block.uri !== 'string') throw new TypeError(`${path}.uri must be a string`);
}

function optional(
  block: Readonly<Record<string, unknown>>,
  path: string,
  field: string,
  type: 'string' | 'object',
): void {
  const value = block[field];
  const fits = value === undefined || (typeof value === type && value !== null && !Array.isArray(value));
  if (!fits) throw new TypeError(`${path}.${field} must be ${type === 'string' ? 'a string' : 'an object'}`);
}

function dataLength(address: string): number {
  return address.startsWith('data:') ? address.length - address.indexOf(',') - 1 : 0;
}
