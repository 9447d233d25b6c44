import type { JsonValue } from '@rondo/protocol';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { problemOfInputs, readInputs } from './read-inputs.ts';
import { defineSessionInput, isSessionInput, isSessionInputValue } from './session-input.ts';

const refusing = (message: string) =>
  defineSessionInput(
    'x',
    z.unknown().refine(() => false, message),
  );

async function said(message: string, value: JsonValue): Promise<string> {
  const read = await readInputs({ x: refusing(message) }, { x: value });
  return read.ok ? 'accepted' : read.message;
}

const refused = 'the session input "x" does not fit: the whole: ';

test.each<[string, JsonValue, boolean]>([
  ['must be owner/name', { repo: 'secret-4711' }, true],
  ['must not be secret-4711', { repo: 'secret-4711' }, false],
  ['"secret-4711" is wrong', { deep: [{ repo: 'secret-4711' }] }, false],
  ['must be below 10', { n: 17 }, true],
  ['17 is not below 10', { n: 17 }, false],
  ['n: 123456 is too much', 123456, false],
  // A short value that is part of another word is not what the message tells.
  ['is missing', { language: 'is', mode: 'm' }, false],
  ['this is wrong', { letter: 'h' }, true],
  ['repo must be owner/name', { repo: 'r' }, true],
  ['empty texts are found everywhere', { repo: '' }, true],
  ['true or null would do', { flag: true, none: null }, true],
])('of the message %j about %j', async (message, value, tells) => {
  expect(await said(message, value)).toBe(`${refused}${tells ? message : 'is not accepted'}`);
});

test('a check that throws, or takes its time, is read like any other', async () => {
  const schema = (validate: (value: unknown) => never) =>
    ({ '~standard': { version: 1, vendor: 'own', validate } }) as const;
  const throwing = defineSessionInput(
    'x',
    schema((value) => {
      throw new Error(`no luck with ${JSON.stringify(value)}`);
    }),
  );
  const told = { ok: false, message: 'the session input "x" could not be checked' };
  expect(await readInputs({ x: throwing }, { x: 'secret-4711' })).toEqual(told);
  const slow = defineSessionInput(
    'x',
    z.string().transform(async (text) => await Promise.resolve(text.length)),
  );
  expect(await readInputs({ length: slow }, { x: 'four' })).toEqual({ ok: true, values: { length: 4 } });
});

test('every reader has a value of its own, and what nobody declared is not read', async () => {
  const input = defineSessionInput('x', z.object({ list: z.array(z.number()) }));
  const stored = { x: { list: [1] }, y: 'other' };
  const first = await readInputs({ x: input }, stored);
  const second = await readInputs({ x: input }, stored);
  if (!first.ok || !second.ok) throw new Error('not read');
  (first.values['x'] as { list: number[] }).list.push(2);
  expect(second.values).toEqual({ x: { list: [1] } });
  expect(stored.x.list).toEqual([1]);
  expect(await readInputs(undefined, stored)).toEqual({ ok: true, values: {} });
});

test('an input whose schema takes nothing as well may be left out; one that is not JSON Schema is checked where it is used', async () => {
  const optional = defineSessionInput('o', z.object({ repo: z.string() }).optional());
  const transforming = defineSessionInput(
    't',
    z.string().transform((text) => text.length),
  );
  expect(await problemOfInputs({ t: 'x' }, [optional, transforming])).toBeUndefined();
  expect(await readInputs({ o: optional }, {})).toEqual({ ok: true, values: { o: undefined } });
  expect(await problemOfInputs({}, [optional, transforming])).toBe(
    'the session input "t" is missing; give it when the session starts',
  );
  expect(await problemOfInputs({ u: 1 }, [])).toBe(
    'no tool and no hook declares the session input "u"; none is declared',
  );
});

test('an input and its values are known by their marks', () => {
  const input = refusing('no');
  expect([isSessionInput(input), isSessionInput({ ...input })]).toEqual([true, false]);
  expect([isSessionInputValue(input.value(1)), isSessionInputValue({ inputId: 'x', value: 1 })]).toEqual([true, false]);
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  expect(() => input.value(circular)).toThrow(new TypeError('session input x: the value must be JSON'));
});
