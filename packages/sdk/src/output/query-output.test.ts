import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SDKMessage, SDKResultMessage, SDKUserMessage } from '@rondo/protocol';
import { reply, startModelServer, text, type RecordedRequest } from '@rondo/providers/testing';
import { call, fail, pauseUntil, say, scriptedModel, think, type ScriptedStep } from '@rondo/runtime/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Options } from '../options/options.ts';
import { query } from '../query.ts';
import { replaySession } from '../sessions/replay-session.ts';
import { collectFailing, collectMessages } from '../testing/collect-messages.ts';

let root = '';
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'rondo-output-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const verdict = {
  type: 'object',
  properties: { shipped: { type: 'boolean' }, days: { type: 'integer', minimum: 0 } },
  required: ['shipped', 'days'],
  additionalProperties: false,
};

let homes = 0;
function setUp(steps: readonly ScriptedStep[], schema: object = verdict, more: Options = {}) {
  homes += 1;
  const model = scriptedModel(steps, { price: { input: 1, output: 1 } });
  const home = join(root, `home-${homes}`);
  const outputFormat = { type: 'json_schema', schema: schema as Record<string, unknown> } as const;
  const options: Options = { model, home, cwd: root, tools: [], env: {}, outputFormat, ...more };
  return { model, home, options };
}

const results = (lines: readonly SDKMessage[]): SDKResultMessage[] => lines.filter((line) => line.type === 'result');
const good = '{"shipped":true,"days":2}';

function toldIn(request: { readonly messages: readonly object[] } | undefined): string {
  return JSON.stringify(request?.messages.at(-1));
}

describe('an answer that fits', () => {
  test('is the result, as JSON text and parsed, and every request asks for it', async () => {
    const { options, model } = setUp([[think('hm', 'sig'), say(good)]]);
    const [result] = results(await collectMessages(query({ prompt: 'shipped?', options })));
    expect(result).toMatchObject({ subtype: 'success', result: good, terminal_reason: 'completed', num_turns: 1 });
    expect(result).toHaveProperty('structured_output', { shipped: true, days: 2 });
    expect(model.requests[0]?.output).toEqual({ schema: verdict });
  });

  test('may stand in a fence, and comes after tools', async () => {
    const { options, model } = setUp([call('Glob', { pattern: '*' }), say(`\`\`\`json\n${good}\n\`\`\``)], verdict, {
      tools: ['Glob'],
    });
    const lines = await collectMessages(query({ prompt: 'shipped?', options }));
    expect(results(lines)).toMatchObject([{ result: good, structured_output: { shipped: true, days: 2 } }]);
    expect(model.requests).toHaveLength(2);
  });

  test.each([
    ['a placeholder', { type: 'object', properties: { name: { type: 'string' } } }, { name: 'TODO' }],
    ['the empty object', { type: 'object' }, {}],
    ['null', { type: ['string', 'null'] }, null],
    ['a list', { type: 'array', items: { enum: ['a', 'b'] } }, ['b', 'a']],
    [
      'a tree',
      {
        $defs: { node: { type: 'object', properties: { below: { type: 'array', items: { $ref: '#/$defs/node' } } } } },
        $ref: '#/$defs/node',
      },
      { below: [{ below: [] }, {}] },
    ],
    [
      'a tuple of an older draft',
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'array',
        items: [{ type: 'string' }, { type: 'number' }],
      },
      ['x', 1],
    ],
    [
      'a date',
      { type: 'object', properties: { at: { type: 'string', format: 'date-time' } } },
      { at: '2026-01-31T10:00:00Z' },
    ],
  ])('is judged by its schema alone: %s', async (_name, schema, value) => {
    const { options } = setUp([say(JSON.stringify(value))], schema);
    const [result] = results(await collectMessages(query({ prompt: '?', options })));
    expect(result).toMatchObject({ subtype: 'success' });
    expect(result).toHaveProperty('structured_output', value);
  });
});

describe('an answer that does not fit', () => {
  test('is told to the model with what is wrong, twice, and the third one counts', async () => {
    const { options, model } = setUp([say('It was shipped.'), say('{"shipped":true,"days":-1,"by":"air"}'), say(good)]);
    const lines = await collectMessages(query({ prompt: 'shipped?', options }));
    expect(results(lines)).toMatchObject([{ subtype: 'success', structured_output: { days: 2 }, num_turns: 3 }]);
    expect(toldIn(model.requests[1])).toContain('it is no JSON');
    expect(toldIn(model.requests[2])).toContain('/days must be >= 0');
    expect(toldIn(model.requests[2])).toContain('must NOT have additional properties: \\"by\\"');
    const told = lines.filter((line) => line.type === 'user');
    expect(told).toMatchObject([{ isSynthetic: true }, { isSynthetic: true }]);
  });

  test.each([
    ['an enum', { enum: ['a', 'b'] }, '"c"', '[\\"a\\",\\"b\\"]'],
    ['a format', { type: 'string', format: 'email' }, '"nobody"', 'must match format'],
    [
      'a recursion',
      { $defs: { n: { type: 'object', properties: { n: { $ref: '#/$defs/n' } } } }, $ref: '#/$defs/n' },
      '{"n":{"n":3}}',
      '/n/n must be object',
    ],
    ['a list at the top', { type: 'array', items: { type: 'integer' } }, '[1,"2"]', '/1 must be integer'],
    ['nothing', { type: 'object' }, '   ', 'it is empty'],
  ])('is told where: %s', async (_name, schema, answer, told) => {
    const { options, model } = setUp([say(answer), fail('model.request_invalid', { status: 400 })], schema);
    await collectFailing(query({ prompt: '?', options }));
    expect(toldIn(model.requests[1])).toContain(told);
  });

  test('five times ends the turn in an error that says how often, never in success', async () => {
    const { options, model } = setUp(Array.from({ length: 5 }, () => say('{"shipped":1}')));
    const lines = await collectFailing(query({ prompt: 'shipped?', options }));
    const [result] = results(lines);
    expect(result).toMatchObject({
      subtype: 'error_max_structured_output_retries',
      is_error: true,
      terminal_reason: 'structured_output_retry_exhausted',
      num_turns: 5,
    });
    expect(result).not.toHaveProperty('structured_output');
    expect(JSON.stringify(result)).toMatch(/5 of at most 5 were refused/);
    expect(model.requests).toHaveLength(5);
  });

  test('that was cut off at the most tokens is told so', async () => {
    await using server = await startModelServer({
      script: [reply(text('{"shipped":'), { stopReason: 'max_tokens' }), text(good)],
    });
    const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: server.url };
    const { options } = setUp([], verdict, { model: 'anthropic/claude-sonnet-5-5', env });
    expect(results(await collectMessages(query({ prompt: '?', options })))).toMatchObject([{ subtype: 'success' }]);
    expect(server.requests[1]?.text).toContain('it was cut off at the most tokens of a reply');
  });
});

test('six turns of one session each begin to count anew', async () => {
  const { options, model } = setUp(
    Array.from({ length: 6 }, () => [say('no'), say('no'), say('no'), say(good)]).flat(),
  );
  const ended: (() => void)[] = [];
  const prompt = (async function* (): AsyncGenerator<SDKUserMessage> {
    for (let turn = 0; turn < 6; turn += 1) {
      const next = Promise.withResolvers<undefined>();
      ended.push(() => next.resolve(undefined));
      yield { type: 'user', message: { role: 'user', content: `${turn}?` }, parent_tool_use_id: null };
      await next.promise;
    }
  })();
  const seen: SDKResultMessage[] = [];
  for await (const line of query({ prompt, options })) {
    if (line.type !== 'result') continue;
    seen.push(line);
    ended.at(-1)?.();
  }
  expect(seen).toHaveLength(6);
  for (const result of seen) expect(result).toMatchObject({ subtype: 'success', structured_output: { days: 2 } });
  expect(model.requests).toHaveLength(24);
});

test('an interrupt is an interrupt, and the session that is resumed asks again, with the count begun anew', async () => {
  const held = Promise.withResolvers<undefined>();
  const { options } = setUp([say('no'), say('no'), say('no'), [pauseUntil(held.promise), say('never')]]);
  const once = (async function* (): AsyncGenerator<SDKUserMessage> {
    yield await Promise.resolve({ type: 'user', message: { role: 'user', content: '?' }, parent_tool_use_id: null });
  })();
  const running = query({ prompt: once, options });
  const lines: SDKMessage[] = [];
  await (async () => {
    for await (const line of running) {
      lines.push(line);
      if (lines.filter(({ type }) => type === 'user').length === 3) await running.interrupt();
    }
  })().catch(() => {});
  expect(results(lines)).toMatchObject([{ subtype: 'error_during_execution', terminal_reason: 'aborted_streaming' }]);
  held.resolve(undefined);
  const again = scriptedModel([say('no'), say('no'), say('no'), say('no'), say(good)]);
  const resume = lines[0]?.session_id ?? '';
  const more = await collectMessages(query({ prompt: 'again', options: { ...options, model: again, resume } }));
  expect(results(more)).toMatchObject([{ subtype: 'success', structured_output: { shipped: true } }]);
});

test('a hook that ends the turn, or blocks its prompt, is no success', async () => {
  const stopping = setUp([call('Glob', { pattern: '*' })], verdict, {
    tools: ['Glob'],
    hooks: { PostToolUse: [{ hooks: [() => Promise.resolve({ continue: false, stopReason: 'enough' })] }] },
  });
  const [stopped] = results(await collectFailing(query({ prompt: '?', options: stopping.options })));
  expect(stopped).toMatchObject({ subtype: 'error_during_execution', is_error: true, terminal_reason: 'hook_stopped' });
  const blocking = setUp([], verdict, {
    hooks: { UserPromptSubmit: [{ hooks: [() => Promise.resolve({ decision: 'block', reason: 'not now' })] }] },
  });
  const [blocked] = results(await collectFailing(query({ prompt: '?', options: blocking.options })));
  expect(blocked).toMatchObject({ subtype: 'error_during_execution', is_error: true });
  expect(JSON.stringify(blocked)).toContain('not now');
});

test('limits keep their own errors', async () => {
  const { options } = setUp([say('no'), say('no')], verdict, { maxTurns: 2 });
  const [result] = results(await collectFailing(query({ prompt: '?', options })));
  expect(result).toMatchObject({ subtype: 'error_max_turns' });
});

test('a replay judges answers as they were judged', async () => {
  const well = setUp([say('no'), say(good)]);
  const [init] = await collectMessages(query({ prompt: '?', options: well.options }));
  expect(await replaySession(init?.session_id ?? '', { home: well.home })).not.toHaveProperty('divergence');
  const badly = setUp(Array.from({ length: 5 }, () => say('no')));
  const [first] = await collectFailing(query({ prompt: '?', options: badly.options }));
  expect(await replaySession(first?.session_id ?? '', { home: badly.home })).not.toHaveProperty('divergence');
});

test.each([
  ['a type that does not exist', { type: 'thing' }, /outputFormat\.schema is no JSON Schema/],
  ['what can only be answered later', { $async: true, ...verdict }, /outputFormat\.schema is no JSON Schema.*\$async/],
  ['a reference to nothing', { $ref: '#/$defs/none' }, /outputFormat\.schema is no JSON Schema.*none/],
])('a schema that is none is an error before anything is asked: %s', async (_name, schema, message) => {
  const { options, model } = setUp([], schema);
  await expect(collectMessages(query({ prompt: '?', options }))).rejects.toThrow(message);
  expect(model.requests).toHaveLength(0);
});

test('a format that is none is refused at once', () => {
  const format = { type: 'text', schema: {} } as never;
  expect(() => query({ prompt: '?', options: { outputFormat: format } })).toThrow(/options\.outputFormat takes/);
});

describe.each([
  ['anthropic/claude-sonnet-5-5', (url: string) => ({ ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: url })],
  ['openai/gpt-6.2-sol', (url: string) => ({ OPENAI_API_KEY: 'k', OPENAI_BASE_URL: url })],
] as const)('over the wire of %s', (model, env) => {
  const isNative = ({ body }: RecordedRequest): boolean => JSON.stringify(body).includes('"type":"json_schema"');

  test('what the vendor can be held to goes there, anything else into words, and both are checked', async () => {
    for (const [schema, native, answer] of [
      [verdict, true, good],
      [{ type: 'array', items: { type: 'string' } }, false, '["a"]'],
    ] as const) {
      await using server = await startModelServer({ script: [text('not yet'), text(answer)] });
      const { options } = setUp([], schema, { model, env: env(server.url) });
      const [result] = results(await collectMessages(query({ prompt: '?', options })));
      expect(result).toMatchObject({ subtype: 'success', structured_output: JSON.parse(answer) });
      expect(server.requests.map(isNative)).toEqual([native, native]);
      if (!native) expect(server.requests[0]?.text).toContain('fits this JSON Schema');
    }
  });
});
