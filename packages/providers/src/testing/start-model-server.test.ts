import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, test } from 'vitest';
import { createAnthropicModel } from '../anthropic/index.ts';
import {
  askModel,
  hold,
  readScript,
  reply,
  startModelServer,
  status,
  text,
  times,
  toolCall,
  wireBlock,
} from './index.ts';

function modelAt(url: string, apiKey = 'key') {
  return createAnthropicModel({ model: 'claude-sonnet-5-5', apiKey, baseUrl: url });
}

describe('the script is a promise of both sides', () => {
  test('a request without a step is answered 500, not to be tried again, and remembered', async () => {
    const server = await startModelServer({ script: [text('one')] });
    const model = modelAt(server.url);
    await askModel(model);
    const { error } = await askModel(model);
    expect(error).toMatchObject({
      code: 'model.server_error',
      retryable: false,
      message: expect.stringContaining('no step for request 1'),
    });
    await expect(server.close()).rejects.toThrow('no step for request 1');
  });

  test('steps left over are a failure', async () => {
    const server = await startModelServer({ script: times(3, text('x')) });
    await askModel(modelAt(server.url));
    expect(() => server.assertDone()).toThrow('2 steps of the script were not used');
    await expect(server.close()).rejects.toThrow('2 steps');
  });

  test('a bad request uses no step, gets the reason and is remembered', async () => {
    const server = await startModelServer({ script: [text('one')] });
    const model = modelAt(server.url);
    const lonely = {
      role: 'user',
      content: [{ type: 'tool_result', toolCallId: 'x', content: [], isError: false }],
    } as const;
    const { error } = await askModel(model, { messages: [lonely] });
    expect(error).toMatchObject({
      code: 'model.request_invalid',
      message: expect.stringContaining('x names no tool_use'),
    });
    expect((await askModel(model)).text).toBe('one');
    expect(server.requests.map(({ refused }) => refused !== undefined)).toEqual([true, false]);
    await expect(server.close()).rejects.toThrow('request 0 was refused');
  });

  test('a wrong key is refused', async () => {
    const server = await startModelServer({ script: [], apiKey: 'right' });
    expect((await askModel(modelAt(server.url, 'wrong'))).error).toMatchObject({ code: 'model.authentication_failed' });
    await expect(server.close()).rejects.toThrow('invalid x-api-key');
  });
});

test('what it saw is kept: bodies as they came, connections, how each ended', async () => {
  await using server = await startModelServer({ script: [text('one'), status(529)] });
  const model = modelAt(server.url);
  await askModel(model);
  await askModel(model);
  const [first, second] = server.requests;
  expect(first).toMatchObject({ index: 0, method: 'POST', path: '/v1/messages', connection: 0 });
  expect(JSON.parse(first?.text ?? '')).toEqual(first?.body);
  expect(second?.connection).toBe(0);
  expect(await first?.ended).toBe('answered');
});

test('a hold lets a test look in the middle', async () => {
  const gate = Promise.withResolvers<void>();
  await using server = await startModelServer({ script: [[text('before'), hold(gate.promise), text('after')]] });
  const stream = modelAt(server.url).stream(
    { system: '', tools: [], messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] },
    { signal: new AbortController().signal },
  );
  let seen = '';
  for await (const part of stream) {
    if (part.type === 'block-end' && seen === 'before') gate.resolve();
    if (part.type === 'delta') seen += part.text;
  }
  expect(seen).toBe('beforeafter');
});

test('the same request gets the same IDs in every run, and another gets others', async () => {
  const ids: unknown[] = [];
  for (const word of ['a', 'a', 'b']) {
    await using server = await startModelServer({ script: [toolCall('Read', {})] });
    const { blocks } = await askModel(modelAt(server.url), { system: word });
    ids.push(blocks[0]?.type === 'tool_call' && blocks[0].toolCallId);
  }
  expect(ids[0]).toBe(ids[1]);
  expect(ids[2]).not.toBe(ids[0]);
});

test('stop reasons, usage and blocks of any kind are settable', async () => {
  const usage = { input_tokens: 5, output_tokens: 7, cache_read_input_tokens: 11 };
  await using server = await startModelServer({
    script: [
      reply([wireBlock({ type: 'hologram', data: 'x' }, [{ type: 'hologram_delta', data: 'y' }])], {
        stopReason: 'pause_turn',
        usage,
      }),
    ],
  });
  const { blocks, end } = await askModel(modelAt(server.url));
  expect(blocks).toEqual([{ type: 'opaque', provider: 'anthropic', raw: { type: 'hologram', data: 'xy' } }]);
  expect(end).toMatchObject({
    stopReason: 'pause_turn',
    usage: { inputTokens: 5, outputTokens: 7, cacheReadInputTokens: 11 },
  });
});

test('one script serves many conversations at once', async () => {
  await using server = await startModelServer({ script: [toolCall('Read', {}), text('Done')], order: 'conversation' });
  const model = modelAt(server.url);
  const texts = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const asked = { role: 'user', content: [{ type: 'text', text: `Question ${index}` }] } as const;
      const { blocks } = await askModel(model, { messages: [asked] });
      const toolCallId = blocks[0]?.type === 'tool_call' ? blocks[0].toolCallId : '';
      const called = { role: 'assistant', model: model.name, content: blocks } as const;
      const answered = {
        role: 'user',
        content: [{ type: 'tool_result', toolCallId, content: [], isError: false }],
      } as const;
      return (await askModel(model, { messages: [asked, called, answered] })).text;
    }),
  );
  expect(new Set(texts)).toEqual(new Set(['Done']));
});

test('a script may go round, or decide by the request', async () => {
  await using round = await startModelServer({ script: [text('a'), text('b')], order: 'cycle' });
  const texts: string[] = [];
  for (let asked = 0; asked < 4; asked += 1) texts.push((await askModel(modelAt(round.url))).text);
  expect(texts.join('')).toBe('abab');
  await using deciding = await startModelServer({
    script: ({ text: body }) => text(body.includes('Hello') ? 'greeted' : 'what?'),
  });
  expect((await askModel(modelAt(deciding.url))).text).toBe('greeted');
});

describe('a script from a file', () => {
  const greeting = (content: string) => ({
    messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: content }] }],
  });

  test('is said over the wire as it is in process: blocks, usage, errors, faults', async () => {
    const script = await readScript(`
version: 1
steps:
  - error: { status: 529, retryAfter: 2 }
  - reasoning: Hm.
    text: ['I ', look.]
    call: Read
    input: { file_path: a }
    usage: { inputTokens: 7, outputTokens: 3 }
  - text: Broken
    fault: { cut: { events: 3 } }
`);
    await using server = await startModelServer({ script, order: 'once' });
    const model = modelAt(server.url);
    expect((await askModel(model)).error).toMatchObject({ code: 'model.overloaded', details: { retryAfterMs: 2000 } });
    const { blocks, end, parts } = await askModel(model);
    expect(blocks).toMatchObject([
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'I look.' },
      { type: 'tool_call', name: 'Read', input: { file_path: 'a' } },
    ]);
    expect(parts).toContainEqual({ type: 'delta', index: 1, text: 'I ' });
    expect(end).toMatchObject({ stopReason: 'tool_use', usage: { inputTokens: 7, outputTokens: 3 } });
    expect((await askModel(model)).error).toMatchObject({ code: 'model.stream_broken' });
  });

  test('failures before an answer come one after another, then the answer as often as it is asked for', async () => {
    const script = await readScript('version: 1\nsteps: [{ error: { status: 529 }, times: 2 }, { text: at last }]');
    await using server = await startModelServer({ script });
    const model = modelAt(server.url);
    const said: unknown[] = [];
    for (let count = 0; count < 4; count += 1) {
      const { error, text: answer } = await askModel(model);
      said.push(error === undefined ? answer : 'failed');
    }
    expect(said).toEqual(['failed', 'failed', 'at last', 'at last']);
  });

  test('what a step expects is looked for in the request, and its absence remembered', async () => {
    const script = await readScript('version: 1\nsteps: [{ expect: { user: two, tools: [] }, text: yes }]');
    const server = await startModelServer({ script });
    const { error } = await askModel(modelAt(server.url), greeting('one'));
    expect(error).toMatchObject({ code: 'model.request_invalid', message: expect.stringContaining('"two"') });
    await expect(server.close()).rejects.toThrow('step 1 of script.yaml (line 2) expects the request to hold "two"');
  });

  test('conversations are told apart by what they begin with', async () => {
    const script = await readScript(`
version: 1
steps:
  - { conversation: a, expect: { user: apples }, text: red }
  - { conversation: b, expect: { user: bananas }, text: yellow }
`);
    await using server = await startModelServer({ script });
    const model = modelAt(server.url);
    expect((await askModel(model, greeting('about bananas'))).text).toBe('yellow');
    expect((await askModel(model, greeting('about apples'))).text).toBe('red');
  });
});

// Each test starts a process of its own; a busy machine takes its time with it.
describe('as a process', { timeout: 60_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'rondo-model-server-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  async function start(script: string, ...options: string[]) {
    const file = join(folder, 'script.json');
    writeFileSync(file, script);
    const main = join(import.meta.dirname, 'model-server-process.ts');
    const child = spawn(process.execPath, ['--conditions=@rondo/source', main, file, ...options], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let complaints = '';
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      complaints += chunk;
    });
    const exit = once(child, 'close').then(([code]) => ({ code: code as number, complaints }));
    const line = once(createInterface(child.stdout), 'line').then(([url]) => url as string);
    const url = await Promise.race([line, exit.then(() => '')]);
    return { url, child, exit };
  }

  test('prints its URL, records, and exits with 0 when all is done', async () => {
    const record = join(folder, 'requests.jsonl');
    const { url, child, exit } = await start('{"version":1,"steps":[{"text":"Hi"}]}', '--record', record);
    expect((await askModel(modelAt(url))).text).toBe('Hi');
    child.stdin.end();
    expect(await exit).toEqual({ code: 0, complaints: '' });
    expect(JSON.parse(readFileSync(record, 'utf8'))).toMatchObject({ index: 0, body: { model: 'claude-sonnet-5-5' } });
  });

  test('exits with 1 and says why when a step was not used', async () => {
    const { child, exit } = await start('{"version":1,"unused":"error","steps":[{"text":"Hi"}]}');
    child.kill('SIGTERM');
    expect(await exit).toEqual({ code: 1, complaints: 'model server: 1 steps of the script were not used\n' });
  });

  test('a script that is none is told with its place', async () => {
    const { exit } = await start('[{"type":"text"}]');
    expect(await exit).toEqual({ code: 2, complaints: expect.stringContaining('script.json:1: is a list') });
  });
});
