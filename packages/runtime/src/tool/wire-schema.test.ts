import { type JsonObject, type JsonValue, SDKMessage } from '@rondo/protocol';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compileJsonSchema } from './json-schema.ts';
import { isArray, isObject } from './json-shape.ts';
import type { SchemaCheck } from './schema-check.ts';
import type { InputProblem } from './tool.ts';

/** The wire's schema files, held against the messages of every version that the protocol keeps. */
const protocol = join(import.meta.dirname, '..', '..', '..', 'protocol');

interface Fixture {
  readonly message: JsonValue;
  readonly method?: string;
  readonly reads?: JsonValue;
}

const kinds: Readonly<Record<string, string>> = {
  event: 'any-event',
  transient: 'transient-event',
  record: 'turn-record',
  callback: 'open-callback',
  answer: 'callback-answer',
  'answer-outcome': 'answer-outcome',
  'content-block': 'content-block',
  'turn-input-block': 'turn-input-block',
  'model-block': 'model-block',
  entry: 'history-entry',
};

/** Rules between fields, which the schemas leave to the reader. */
const beyondSchemas: readonly string[] = [
  'content-block/embedded-with-both.json',
  'content-block/embedded-with-neither.json',
  'entry/tool-result-with-both.json',
  'frame/error-and-result.json',
];

function fileOf(kind: string, { message, method }: Fixture): string {
  if (method !== undefined) return `${method.replace('/', '-')}.${kind}.json`;
  if (kind === 'frame') return `${frameOf(message)}-frame.json`;
  return `${kinds[kind]}.json`;
}

function frameOf(message: JsonValue): string {
  if (!isObject(message)) return 'request';
  if ('method' in message) return 'id' in message ? 'request' : 'notification';
  return 'error' in message ? 'error' : 'result';
}

const compiled = new Map<string, SchemaCheck>();

function problemsOf(file: string, message: JsonValue): InputProblem[] {
  const check = compiled.get(file) ?? compileJsonSchema(inlined({ $ref: file }));
  compiled.set(file, check);
  const problems: InputProblem[] = [];
  check(message, '', problems);
  return problems;
}

/** The checker knows no references: each is replaced by the file it names. No schema of the wire contains itself. */
function inlined(schema: JsonValue): JsonValue {
  if (isArray(schema)) return schema.map(inlined);
  if (!isObject(schema)) return schema;
  const { $ref, ...rest } = schema;
  const here = Object.fromEntries(Object.entries(rest).map(([keyword, argument]) => [keyword, inlined(argument)]));
  if (typeof $ref !== 'string') return here;
  return { ...here, allOf: [inlined(JSON.parse(readFileSync(join(protocol, 'schema', $ref), 'utf8')) as JsonObject)] };
}

function fixtures(side: 'accepted' | 'rejected'): { name: string; file: string; fixture: Fixture }[] {
  const folder = join(protocol, 'fixtures', side);
  return readdirSync(folder).flatMap((kind) =>
    readdirSync(join(folder, kind)).map((name) => {
      const fixture = JSON.parse(readFileSync(join(folder, kind, name), 'utf8')) as Fixture;
      return { name: `${kind}/${name}`, file: fileOf(kind, fixture), fixture };
    }),
  );
}

const accepted = fixtures('accepted');
const rejected = fixtures('rejected');

describe('accepted', () => {
  test.each(accepted)('$name fits $file, as it came and as it was read', ({ file, fixture: { message, reads } }) => {
    expect(problemsOf(file, message)).toEqual([]);
    if (reads !== undefined) expect(problemsOf(file, reads)).toEqual([]);
  });

  test.each(accepted)('$name still fits $file with a field of a newer version', ({ file, fixture: { message } }) => {
    expect(isObject(message)).toBe(true);
    expect(problemsOf(file, { ...(message as JsonObject), aNewerField: { of: ['a newer version'] } })).toEqual([]);
  });
});

describe('rejected', () => {
  test.each(rejected)('$name is refused by $file, but for rules beyond schemas', ({ name, file, fixture }) => {
    expect(problemsOf(file, fixture.message).length === 0).toBe(beyondSchemas.includes(name));
  });
});

describe('messages of the query face', () => {
  const status = {
    type: 'system',
    subtype: 'status',
    uuid: '5f0c7f0e-6a1e-4c5e-9a55-1f6e1c1d2b3a',
    session_id: 's',
    status: null,
  };
  const { uuid: _uuid, ...unnamed } = status;
  test.each<[string, JsonValue, boolean]>([
    ['a known message', status, true],
    ['a known subtype without its fields', unnamed, false],
    ['a newer subtype', { type: 'system', subtype: 'newer' }, true],
    ['a system message without subtype', { type: 'system' }, true],
    ['a newer type', { type: 'newer' }, true],
    ['a known type without its fields', { type: 'result', subtype: 'success' }, false],
    ['no type', { subtype: 'status' }, false],
  ])('%s: %j fits %j', (_name, message, fits) => {
    expect(SDKMessage.safeParse(message).success).toBe(fits);
    expect(problemsOf('sdk-message.json', message).length === 0).toBe(fits);
  });
});

test('a newer transient fits a subscription’s events, a newer event only with its place in the log', () => {
  const newer = { type: 'newer.delta', after: 's:1' };
  expect(problemsOf('stream-events.json', [newer])).toEqual([]);
  expect(problemsOf('stream-events.json', [{ ...newer, seq: 2 }])).toHaveLength(1);
  expect(problemsOf('stream-events.json', [{ ...newer, seq: 2, id: 's:2', at: 'now', sessionId: 's' }])).toEqual([]);
});
