import type { JsonObject } from '@rondo/protocol';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import * as z3 from 'zod3';
import { createSdkTools } from './sdk-tools.ts';
import { type SdkMcpToolDefinition, tool, type ToolHandlerExtra } from './tool.ts';

const extra: ToolHandlerExtra = {
  signal: new AbortController().signal,
  requestId: 'call',
  sendNotification: async () => {},
  sendRequest: async () => ({}),
};

const nothing = async () => ({ content: [] });

/** The same arguments in both versions of zod. */
const shapes = {
  'zod 4': {
    name: z.string().min(1).describe('who'),
    count: z.number().int().default(3),
    tags: z.array(z.enum(['a', 'b'])).optional(),
    place: z.object({ city: z.string() }).optional(),
  },
  'zod 3': {
    name: z3.z.string().min(1).describe('who'),
    count: z3.z.number().int().default(3),
    tags: z3.z.array(z3.z.enum(['a', 'b'])).optional(),
    place: z3.z.object({ city: z3.z.string() }).optional(),
  },
};

describe.each(Object.entries(shapes))('a shape of %s', (_version, shape) => {
  function make() {
    const heard: unknown[] = [];
    const greet = tool('greet', 'Greets', shape as (typeof shapes)['zod 4'], async (args) => {
      heard.push(args);
      return { content: [] };
    });
    return { heard, tools: createSdkTools([greet]) };
  }

  test('is described to the model', async () => {
    const [described] = await make().tools.describe();
    expect(described).toMatchObject({ name: 'greet', description: 'Greets' });
    expect(described?.inputSchema).toMatchObject({
      type: 'object',
      required: ['name'],
      properties: {
        name: { type: 'string', minLength: 1, description: 'who' },
        count: { type: 'integer', default: 3 },
        tags: { type: 'array', items: { enum: ['a', 'b'] } },
        place: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      },
    });
  });

  test('gives the handler what fits, defaults filled in, and nothing that it does not name', async () => {
    const { heard, tools } = make();
    await tools.call('greet', { name: 'Ada', stray: 1 }, extra);
    expect(heard).toEqual([{ name: 'Ada', count: 3 }]);
    expect(tools.problemsOf('greet', { name: 'Ada' })).toEqual([]);
  });

  test('keeps from the handler what does not fit, and names each field', async () => {
    const { heard, tools } = make();
    const input: JsonObject = { count: 'many', tags: ['c'], place: {} };
    const problems = tools.problemsOf('greet', input) ?? [];
    expect(problems.map(({ path }) => path)).toEqual(['name', 'count', 'tags.0', 'place.city']);
    expect(problems[0]?.message).toBe('is missing, expected string');
    expect(await tools.call('greet', input, extra)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/name: is missing[\s\S]*count:[\s\S]*tags\.0:[\s\S]*place\.city:/) }],
    });
    expect(heard).toEqual([]);
  });
});

test('the handler’s arguments are typed by the shape, of either version', () => {
  tool('four', '', shapes['zod 4'], async (args) => {
    expectTypeOf(args).toEqualTypeOf<{
      name: string;
      count: number;
      tags?: ('a' | 'b')[] | undefined;
      place?: { city: string } | undefined;
    }>();
    return { content: [] };
  });
  tool('three', '', shapes['zod 3'], async (args) => {
    expectTypeOf(args).toEqualTypeOf<{
      name: string;
      count: number;
      tags?: ('a' | 'b')[] | undefined;
      place?: { city: string } | undefined;
    }>();
    return { content: [] };
  });
  tool('none', '', {}, async (args) => {
    expectTypeOf(args).toEqualTypeOf<{}>();
    return { content: [] };
  });
  const mixed: SdkMcpToolDefinition[] = [
    tool('a', '', { n: z.number() }, nothing),
    tool('b', '', { s: z3.z.string() }, nothing),
  ];
  expect(mixed).toHaveLength(2);
});

describe('schemas that change or wait', () => {
  test('give the handler what they make', async () => {
    const heard: unknown[] = [];
    const when = tool('when', '', { at: z.coerce.date(), on: z3.z.coerce.date() as never }, async (args) => {
      heard.push(args.at instanceof Date);
      return { content: [] };
    });
    await createSdkTools([when]).call('when', { at: '2026-01-01', on: '2026-01-01' }, extra);
    expect(heard).toEqual([true]);
  });

  test.each([
    ['zod 4', { id: z.string().refine(async (id) => id !== 'taken', 'is taken') }],
    ['zod 3', { id: z3.z.string().refine(async (id) => id !== 'taken', 'is taken') }],
  ])('may answer later, in %s', async (_version, shape) => {
    const tools = createSdkTools([tool('take', '', shape, nothing)]);
    expect(tools.problemsOf('take', { id: 'taken' })).toBeUndefined();
    expect(await tools.call('take', { id: 'taken' }, extra)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('id: is taken') }],
    });
    expect(await tools.call('take', { id: 'free' }, extra)).toEqual({ content: [] });
  });

  test('that throw have failed their call', async () => {
    const shape = {
      id: z.string().transform((): string => {
        throw new Error('no table');
      }),
    };
    const tools = createSdkTools([tool('take', '', shape, nothing)]);
    expect(tools.problemsOf('take', { id: 'x' })).toBeUndefined();
    expect(await tools.call('take', { id: 'x' }, extra)).toMatchObject({
      isError: true,
      content: [{ text: 'no table' }],
    });
  });
});

describe('every kind of schema', () => {
  // As TypeScript writes an enum of numbers.
  const Colour = { Red: 1, Blue: 2, 1: 'Red', 2: 'Blue' } as const;
  const node: z3.z.ZodType<unknown> = z3.z.lazy(() => z3.z.object({ next: node.optional() }));
  const kinds = {
    literal: z3.z.literal('x'),
    nothing: z3.z.null(),
    flag: z3.z.boolean().nullable(),
    either: z3.z.union([z3.z.string(), z3.z.number()]),
    tagged: z3.z.discriminatedUnion('kind', [z3.z.object({ kind: z3.z.literal('a') })]),
    both: z3.z.intersection(z3.z.object({ a: z3.z.string() }), z3.z.object({ b: z3.z.string() })),
    pair: z3.z.tuple([z3.z.string(), z3.z.number()]),
    map: z3.z.record(z3.z.number()),
    colour: z3.z.nativeEnum(Colour),
    strict: z3.z.object({ a: z3.z.string() }).strict(),
    date: z3.z.date(),
    email: z3.z.string().email(),
    range: z3.z.number().gt(1).max(9),
    list: z3.z.array(z3.z.string()).min(1).max(4),
    any: z3.z.unknown(),
    caught: z3.z.string().catch('x'),
    branded: z3.z.string().brand('Id'),
    piped: z3.z.string().pipe(z3.z.string()),
    frozen: z3.z.string().readonly(),
    trimmed: z3.z.preprocess((value) => value, z3.z.string()),
    node,
  };

  test('of zod 3 has its JSON Schema', async () => {
    const [described] = await createSdkTools([tool('all', '', kinds, nothing)]).describe();
    expect(described?.unusable).toBeUndefined();
    expect(described?.inputSchema).toMatchObject({
      properties: {
        literal: { const: 'x' },
        nothing: { type: 'null' },
        flag: { anyOf: [{ type: 'boolean' }, { type: 'null' }] },
        either: { anyOf: [{ type: 'string' }, { type: 'number' }] },
        both: { allOf: [{ type: 'object' }, { type: 'object' }] },
        pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], minItems: 2, items: false },
        map: { type: 'object', additionalProperties: { type: 'number' } },
        colour: { enum: [1, 2] },
        strict: { additionalProperties: false },
        date: { type: 'string', format: 'date-time' },
        email: { type: 'string', format: 'email' },
        range: { type: 'number', exclusiveMinimum: 1, maximum: 9 },
        list: { minItems: 1, maxItems: 4 },
        any: {},
        branded: { type: 'string' },
        piped: { type: 'string' },
        node: { $ref: '#/$defs/part1' },
      },
      $defs: { part1: { type: 'object', properties: { next: { $ref: '#/$defs/part1' } } } },
    });
    expect(described?.inputSchema).toHaveProperty('required', expect.not.arrayContaining(['caught', 'any']));
  });

  test('without one leaves its tool out by name, and no other', async () => {
    const tools = createSdkTools([
      tool('map', '', { values: z3.z.map(z3.z.string(), z3.z.string()) }, nothing),
      tool('mixed', '', { a: z.string(), b: z3.z.string() }, nothing),
      tool('plain', '', {}, nothing),
    ]);
    const [map, mixed, plain] = await tools.describe();
    expect(map?.unusable).toMatch(/ZodMap cannot be said/);
    expect(mixed?.unusable).toMatch(/mixes schemas of zod 3 and zod 4/);
    expect(plain?.unusable).toBeUndefined();
  });
});

test.each([
  [() => tool('', '', {}, nothing), /name must be/],
  [() => tool('x', 3 as never, {}, nothing), /description must be/],
  [() => tool('x', '', z.object({}) as never, nothing), /takes the shape itself/],
  [() => tool('x', '', { a: 'string' } as never, nothing), /inputSchema\.a is no schema/],
  [() => tool('x', '', [] as never, nothing), /must be an object of schemas/],
  [() => tool('x', '', {}, undefined as never), /handler must be a function/],
])('definition %# that could never be called is refused at once', (define, message) => {
  expect(define).toThrow(message);
});
