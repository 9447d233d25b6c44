import type { JsonObject, JsonValue } from '@rondo/protocol';
import { describe, expect, test } from 'vitest';
import { askArgumentProblems, checksArguments } from './argument-check.ts';

test.each<[JsonValue | undefined, boolean]>([
  [undefined, false],
  [{ tools: {} }, false],
  [{ experimental: { 'someone/else': {} } }, false],
  [{ experimental: [] }, false],
  [{ tools: {}, experimental: { 'rondo/checkArguments': {} } }, true],
])('a server that says %j of itself can tell: %s', (capabilities, can) => {
  expect(checksArguments(capabilities)).toBe(can);
});

describe('what a server says of arguments', () => {
  const ask = (answer: JsonValue) => askArgumentProblems(async () => answer, 'add', { a: 1 });

  test('is asked with the tool and its arguments', async () => {
    const asked: [string, JsonObject][] = [];
    await askArgumentProblems(
      async (method, params) => {
        asked.push([method, params]);
        return {};
      },
      'add',
      { a: 1 },
    );
    expect(asked).toEqual([['rondo/checkArguments', { name: 'add', arguments: { a: 1 } }]]);
  });

  test('counts where it names field and problem', async () => {
    expect(await ask({ problems: [{ path: 'b', message: 'is missing', more: 1 }] })).toEqual([
      { path: 'b', message: 'is missing' },
    ]);
  });

  test.each<[JsonValue]>([[null], [[]], [{}], [{ problems: 'all' }], [{ problems: [null, 'b', { path: 'b' }] }]])(
    'is nothing where it is %j',
    async (answer) => expect(await ask(answer)).toEqual([]),
  );

  test('is nothing where it does not answer: the call itself will tell', async () => {
    const failing = async (): Promise<JsonValue> => Promise.reject(new Error('gone'));
    expect(await askArgumentProblems(failing, 'add', {})).toEqual([]);
  });
});
