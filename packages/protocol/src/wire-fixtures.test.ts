import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  AnswerOutcome,
  AnyEvent,
  CallbackAnswer,
  clientMethods,
  ContentBlock,
  eventTypes,
  HistoryEntry,
  MAX_IMAGE_BASE64_CHARACTERS,
  methods,
  ModelBlock,
  names,
  notifications,
  OpenCallback,
  readFrame,
  TransientEvent,
  TurnInputBlock,
  TurnRecord,
} from './index.ts';

/**
 * One message of the wire a file. Accepted ones read as they are, or as `reads` says; of rejected ones the first
 * problem stands at `path`. The messages are what other versions send: change one only together with the wire.
 */
interface Fixture {
  readonly message: unknown;
  readonly method?: string;
  readonly reads?: unknown;
  readonly path?: string;
}

type Reading = { readonly value: unknown } | { readonly path: string; readonly says: string };

interface Schema {
  safeParse(value: unknown):
    | { readonly success: true; readonly data: unknown }
    | {
        readonly success: false;
        readonly error: { readonly issues: readonly { path: PropertyKey[]; message: string }[] };
      };
}

const schemas: Readonly<Record<string, Schema>> = {
  event: AnyEvent,
  transient: TransientEvent,
  record: TurnRecord,
  callback: OpenCallback,
  answer: CallbackAnswer,
  'answer-outcome': AnswerOutcome,
  'content-block': ContentBlock,
  'turn-input-block': TurnInputBlock,
  'model-block': ModelBlock,
  entry: HistoryEntry,
};

function read(kind: string, { message, method = '' }: Fixture): Reading {
  if (kind === 'frame') {
    const decoded = readFrame(message);
    if (decoded.ok) return { value: decoded.frame };
    const [, path = '', says = ''] = /^(?:([\w.]+): )?(.*)$/s.exec(decoded.message) ?? [];
    return { path, says };
  }
  const schema = schemaOf(kind, method);
  const result = schema.safeParse(message);
  if (result.success) return { value: result.data };
  const issue = result.error.issues[0];
  return { path: issue?.path.join('.') ?? 'no issue', says: issue?.message ?? '' };
}

function schemaOf(kind: string, method: string): Schema {
  const table: Readonly<Record<string, { params: Schema; result: Schema } | undefined>> = {
    ...methods,
    ...clientMethods,
  };
  const unasked: Readonly<Record<string, Schema | undefined>> = notifications;
  const schema =
    kind === 'params' || kind === 'result'
      ? table[method]?.[kind]
      : kind === 'notification'
        ? unasked[method]
        : schemas[kind];
  if (schema === undefined) throw new Error(`no schema for ${kind} ${method}`);
  return schema;
}

const folder = join(import.meta.dirname, '..', 'fixtures');

function fixtures(side: 'accepted' | 'rejected'): { kind: string; name: string; fixture: Fixture }[] {
  return readdirSync(join(folder, side)).flatMap((kind) =>
    readdirSync(join(folder, side, kind)).map((file) => ({
      kind,
      name: file.replace(/\.json$/, ''),
      fixture: JSON.parse(readFileSync(join(folder, side, kind, file), 'utf8')) as Fixture,
    })),
  );
}

const accepted = fixtures('accepted');
const rejected = fixtures('rejected');

describe('accepted', () => {
  test.each(accepted)('$kind/$name reads, with every field it came with', ({ kind, fixture }) => {
    expect(read(kind, fixture)).toEqual({ value: fixture.reads ?? fixture.message });
  });

  test.each(accepted)('$kind/$name reads again as it was read', ({ kind, fixture }) => {
    const message = fixture.reads ?? fixture.message;
    expect(read(kind, { ...fixture, message: JSON.parse(JSON.stringify(message)) })).toEqual({ value: message });
  });
});

describe('rejected', () => {
  test.each(rejected)('$kind/$name is refused at $fixture.path, with words', ({ kind, fixture }) => {
    const reading = read(kind, fixture);
    expect(reading).toMatchObject({ path: fixture.path });
    expect('says' in reading && reading.says).toMatch(/\w+ \w+/);
  });
});

describe('completeness', () => {
  const typesOf = (kind: string): Set<unknown> =>
    new Set(
      accepted.filter((one) => one.kind === kind).map(({ fixture }) => (fixture.message as { type: unknown }).type),
    );
  const methodsOf = (kind: string): unknown[] =>
    accepted.filter((one) => one.kind === kind).map(({ fixture }) => fixture.method);

  test('every event, record, callback, answer, block and entry of the table has a message', () => {
    expect([...typesOf('event')]).toEqual(expect.arrayContaining(eventTypes));
    expect(typesOf('transient')).toEqual(new Set(TransientEvent.options.map(({ shape }) => shape.type.value)));
    expect([...typesOf('record')]).toEqual(expect.arrayContaining(Object.keys(names.records)));
    expect([...typesOf('answer')]).toEqual(expect.arrayContaining(Object.keys(names.answers)));
    expect([...typesOf('callback')]).toEqual(expect.arrayContaining(known(names.callbacks)));
    expect([...typesOf('content-block'), ...typesOf('model-block')]).toEqual(
      expect.arrayContaining(known(names.blocks)),
    );
    expect([...typesOf('entry')]).toEqual(expect.arrayContaining(known(names.entries)));
  });

  test('every method has params and a result, every notification a message', () => {
    const asked = [...Object.keys(methods), ...Object.keys(clientMethods)];
    expect(methodsOf('params')).toEqual(expect.arrayContaining(asked));
    expect(methodsOf('result')).toEqual(expect.arrayContaining(asked));
    expect(methodsOf('notification')).toEqual(expect.arrayContaining(Object.keys(notifications)));
  });

  /** Types of the table that are sent; `unknown` is only how newer ones read. */
  function known(table: object): string[] {
    return Object.keys(table).filter((type) => type !== 'unknown');
  }
});

describe('images', () => {
  const image = (characters: number) => ({ type: 'image', uri: `data:image/png;base64,${'A'.repeat(characters)}` });

  test('10,000,000 base64 characters are taken, one more is refused at the uri', () => {
    expect(ContentBlock.safeParse(image(MAX_IMAGE_BASE64_CHARACTERS)).success).toBe(true);
    for (const schema of [ContentBlock, TurnInputBlock] satisfies Schema[]) {
      const issues = schema.safeParse(image(MAX_IMAGE_BASE64_CHARACTERS + 1)).error?.issues;
      expect(issues).toMatchObject([{ path: ['uri'], message: expect.stringContaining('10000000 base64 characters') }]);
    }
  });

  test('a long address that is no data is none of the limit’s business', () => {
    const uri = `https://example.com/${'a'.repeat(MAX_IMAGE_BASE64_CHARACTERS)}`;
    expect(ContentBlock.safeParse({ type: 'image', uri }).success).toBe(true);
  });
});
