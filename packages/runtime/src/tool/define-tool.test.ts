import { expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { defineTool, isTool } from './define-tool.ts';
import { isToolError, ToolError } from '@rondo/protocol/values';

const readTool = defineTool({
  name: 'Read',
  description: 'Reads a file.',
  input: {
    type: 'object',
    properties: {
      path: { type: 'string', minLength: 1 },
      limit: { type: 'integer', minimum: 1, default: 2000 },
      mode: { enum: ['text', 'raw'] },
      edits: { type: 'array', items: { type: 'object', properties: { line: { type: 'number' } }, required: ['line'] } },
    },
    required: ['path'],
    additionalProperties: false,
  },
  effect: 'none',
  access: ({ path }) => ({ reads: [path] }),
  run: (input) => {
    expectTypeOf(input.path).toEqualTypeOf<string>();
    expectTypeOf(input.limit).toEqualTypeOf<number>();
    expectTypeOf(input.mode).toEqualTypeOf<'text' | 'raw' | undefined>();
    return `${input.path} ${input.limit}`;
  },
});

test('a JSON Schema fills defaults and leaves the given object alone', () => {
  const given = Object.freeze({ path: 'a' });
  expect(readTool.validate(given)).toEqual({ ok: true, input: { path: 'a', limit: 2000 } });
  expect(given).toEqual({ path: 'a' });
  const whole = { path: 'a', limit: 1 };
  const validated = readTool.validate(whole);
  expect(validated.ok && validated.input).toBe(whole);
});

test('every problem is named field by field: missing, unexpected, mistyped, out of bounds', () => {
  const validated = readTool.validate({ limit: 1.5, mode: 'binary', size: 3, edits: [{ line: 1 }, { line: 'x' }, {}] });
  expect(validated).toEqual({
    ok: false,
    problems: [
      { path: 'path', message: 'is missing, expected string' },
      { path: 'limit', message: 'expected integer, got 1.5' },
      { path: 'mode', message: 'expected one of "text", "raw", got "binary"' },
      { path: 'edits.1.line', message: 'expected number, got string' },
      { path: 'edits.2.line', message: 'is missing, expected number' },
      { path: 'size', message: 'is not expected; known fields: path, limit, mode, edits' },
    ],
  });
  expect(readTool.validate('text')).toEqual({
    ok: false,
    problems: [{ path: '', message: 'expected object, got string' }],
  });
  expect(readTool.validate({ path: '', limit: 0 })).toEqual({
    ok: false,
    problems: [
      { path: 'path', message: 'must have at least 1 characters, has 0' },
      { path: 'limit', message: 'must be at least 1, got 0' },
    ],
  });
});

test('bounds, alternatives and constants say what they expected', () => {
  const tool = defineTool({
    name: 'T',
    description: '',
    input: {
      type: 'object',
      properties: {
        short: { type: 'string', maxLength: 2, pattern: '^[a-z😀]+$' },
        step: { type: 'number', multipleOf: 0.1, exclusiveMaximum: 1 },
        list: { type: 'array', minItems: 1, maxItems: 2, items: { type: ['string', 'null'] } },
        either: { oneOf: [{ type: 'string' }, { type: 'object', properties: { a: { const: 1 } }, required: ['a'] }] },
        all: {
          allOf: [
            { type: 'object', properties: { x: { default: 1 } } },
            { type: 'object', properties: { y: { default: 2 } } },
          ],
        },
        rest: { type: 'object', additionalProperties: { type: 'number' } },
        free: { type: 'string', not: { enum: ['taken', 'kept'] } },
      },
    },
    run: () => '',
  });
  const good = { short: '😀😀', step: 0.3, list: [null], either: { a: 1 }, all: {}, rest: { n: 1 }, free: 'other' };
  expect(tool.validate(good)).toEqual({ ok: true, input: { ...good, all: { x: 1, y: 2 } } });
  const bad = { short: 'ABC', step: 1.25, list: [], either: { a: 2 }, rest: { n: 'x' }, free: 'kept' };
  expect(tool.validate(bad)).toEqual({
    ok: false,
    problems: [
      { path: 'short', message: 'must have at most 2 characters, has 3' },
      { path: 'short', message: 'must match ^[a-z😀]+$, got "ABC"' },
      { path: 'step', message: 'must be a multiple of 0.1, got 1.25' },
      { path: 'step', message: 'must be less than 1, got 1.25' },
      { path: 'list', message: 'must have at least 1 items, has 0' },
      { path: 'either', message: 'fits none of 2 alternatives: expected string, got object; or a expected 1, got 2' },
      { path: 'rest.n', message: 'expected number, got string' },
      { path: 'free', message: 'must not fit {"enum":["taken","kept"]}, got "kept"' },
    ],
  });
  const hostile: unknown = JSON.parse('{"__proto__":{"x":1},"constructor":1}');
  expect(tool.validate(hostile as never)).toEqual({ ok: true, input: hostile });
});

test('the effect is once unless said, whatever a hint claims', () => {
  const hinted = defineTool({
    name: 'Hinted',
    description: '',
    input: { type: 'object' },
    annotations: { readOnlyHint: true },
    run: () => '',
  });
  expect(hinted.effect({})).toBe('once');
  expect(hinted.kind).toBe('local');
  const asked = defineTool({
    name: 'Asked',
    description: '',
    input: { type: 'object', properties: { dry: { type: 'boolean' } } },
    effect: ({ dry }) => (dry === true ? 'none' : 'once'),
    run: () => '',
  });
  expect(asked.effect({ dry: true })).toBe('none');
  expect(asked.effect({})).toBe('once');
});

test('zod validates, names fields, and says its own JSON Schema', async () => {
  const tool = defineTool({
    name: 'Zod',
    description: 'z',
    input: z.strictObject({
      name: z.string(),
      count: z.number().default(1),
      nested: z.strictObject({ a: z.number() }).optional(),
    }),
    run: (input) => {
      expectTypeOf(input.count).toEqualTypeOf<number>();
      return { content: input.name };
    },
  });
  expect(tool.validate({ name: 'x' })).toEqual({ ok: true, input: { name: 'x', count: 1 } });
  expect(tool.validate({ count: 'x', nested: { b: 1 }, other: 1, more: 2 })).toEqual({
    ok: false,
    problems: [
      { path: 'name', message: 'is missing, expected string' },
      { path: 'count', message: 'Invalid input: expected number, received string' },
      { path: 'nested.a', message: 'is missing, expected number' },
      { path: 'nested.b', message: 'is not expected' },
      { path: 'other', message: 'is not expected' },
      { path: 'more', message: 'is not expected' },
    ],
  });
  const specification = tool.specification();
  expect(specification.inputSchema).toMatchObject({ type: 'object', required: ['name'] });
  expect(specification.inputSchema).not.toHaveProperty('$schema');
  expect(tool.specification()).toBe(specification);
});

test('a schema that makes what JSON cannot carry, or answers later, or throws, is a problem and no crash', () => {
  const dated = defineTool({
    name: 'D',
    description: '',
    input: z.object({ at: z.coerce.date() }),
    inputSchema: { type: 'object' },
    run: () => '',
  });
  expect(dated.validate({ at: '2026-01-01' })).toEqual({
    ok: false,
    problems: [
      {
        path: 'at',
        message: "the tool's schema makes a Date of it, which JSON cannot carry; convert it in run instead",
      },
    ],
  });
  const standard = (validate: (value: unknown) => never | Promise<never>) =>
    defineTool({
      name: 'S',
      description: '',
      input: { '~standard': { version: 1, vendor: 'test', validate } },
      inputSchema: { type: 'object' },
      run: () => '',
    });
  expect(standard(() => Promise.reject(new Error('late'))).validate({})).toMatchObject({ ok: false });
  expect(
    standard(() => {
      throw new Error('boom');
    }).validate({}),
  ).toEqual({ ok: false, problems: [{ path: '', message: "the tool's schema threw: boom" }] });
});

test('what cannot work is refused when it is defined', () => {
  const define = (input: { type: 'object'; [keyword: string]: unknown }, more: object = {}) =>
    defineTool({ name: 'T', description: '', input, run: () => '', ...more });
  expect(() => define({ type: 'object', properties: { a: { type: 'string', contentEncoding: 'base64' } } })).toThrow(
    /tool T: the input schema at "a" uses "contentEncoding", which this validator does not know/,
  );
  expect(() => define({ type: 'object', properties: { a: { type: 'strin' } } })).toThrow(/no such type: "strin"/);
  expect(() => define({ type: 'object', properties: { a: { type: 'string', default: 1 } } })).toThrow(
    /default that it refuses/,
  );
  expect(() => define({ type: 'object' }, { name: 'a b' })).toThrow(/tool name "a b"/);
  expect(() => define({ type: 'object' }, { effect: 'reconcile' })).toThrow(/needs a reconcile function/);
  expect(() =>
    defineTool({
      name: 'T',
      description: '',
      input: { '~standard': { version: 1, vendor: 'v', validate: () => ({ value: {} }) } },
      run: () => '',
    }),
  ).toThrow(/the v schema cannot say its JSON Schema itself/);
});

test('run gives a result, and a ToolError is known across copies', async () => {
  const context = {} as Parameters<typeof readTool.run>[1];
  await expect(readTool.run({ path: 'a', limit: 3 }, context)).resolves.toEqual({ content: 'a 3' });
  expect(readTool.access({ path: 'a' })).toEqual({ reads: ['a'] });
  expect(isTool(readTool)).toBe(true);
  expect(isTool({ ...readTool })).toBe(false);
  expect(isToolError(new ToolError('no'))).toBe(true);
  expect(isToolError(new Error('no'))).toBe(false);
});
