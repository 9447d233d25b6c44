import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Model, ModelMessage, ModelRequest } from '@rondo/runtime';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createAnthropicModel } from '../anthropic/create-anthropic-model.ts';
import { askModel } from '../testing/ask-model.ts';
import { startModelServer, type ModelServer } from '../testing/start-model-server.ts';
import { createScriptModel } from './create-script-model.ts';
import { readScript } from './read-script.ts';
import type { Script } from './script.ts';

let folder: string;
let server: ModelServer | undefined;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'rondo-held-')));
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  rmSync(folder, { recursive: true, force: true });
});

function scriptOf(...steps: readonly string[]): Promise<Script> {
  const text = `version: 1\norder: once\nsteps:\n${steps.map((step) => `  - ${step}\n`).join('')}`;
  return readScript(text, { file: 'a.yaml', variables: { cwd: folder, home: '/home/ann' } });
}

const said = (text: string): ModelMessage => ({ role: 'user', content: [{ type: 'text', text }] });
const request = (text: string): ModelRequest => ({
  system: 'You are one.',
  tools: [],
  messages: [said(text)],
  sessionId: 'session-one',
});

async function modelOf(how: string, script: Script): Promise<Model> {
  if (how === 'in process') return createScriptModel(script);
  server = await startModelServer({ script });
  return createAnthropicModel({ model: 'any', apiKey: 'any', baseUrl: server.url });
}

describe.each(['in process', 'over HTTP'])('%s', (how) => {
  test.each([
    ['hold: { until: go }', ''],
    ['hold: { until: "${cwd}/go", after: { events: 3 } }', 'one '],
    // What waits, waits before something: here before the end.
    ['hold: { until: go, after: { events: 99 } }', 'one two'],
  ])('%s: says "%s", and the rest once the file is there', async (hold, before) => {
    const script = await scriptOf(`{ text: ['one ', two], ${hold} }`, 'text: other');
    const model = await modelOf(how, script);
    const { signal } = new AbortController();
    let text = '';
    let ended = false;
    const reached = Promise.withResolvers<void>();
    const reading = (async () => {
      for await (const part of model.stream(request('hi'), { signal })) {
        if (part.type === 'delta') text += part.text;
        if (part.type === 'end') ended = true;
        if (text === before && part.type !== 'start') reached.resolve();
      }
    })();
    if (before === '') await server?.request(0);
    else await reached.promise;
    // A whole other reply comes and goes meanwhile.
    expect((await askModel(model, request('there'))).text).toBe('other');
    expect([text, ended]).toEqual([before, false]);
    writeFileSync(join(folder, 'go'), '');
    await reading;
    expect([text, ended]).toEqual(['one two', true]);
  });

  test('a held reply that nobody wants any more ends at once', async () => {
    const model = await modelOf(how, await scriptOf('{ text: [one, two], hold: { until: go, after: { events: 3 } } }'));
    const controller = new AbortController();
    const reading = (async () => {
      for await (const part of model.stream(request('hi'), { signal: controller.signal }))
        if (part.type === 'delta') controller.abort(new Error('enough'));
    })();
    await expect(reading).rejects.toMatchObject({ code: 'operation.aborted' });
  });
});

const linesOf = (file: string) =>
  readFileSync(join(folder, file), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);

test('what was asked is in the file before the reply begins, a line a request', async () => {
  const model = createScriptModel(await scriptOf('{ text: one, asked: "asked-${session-id}.jsonl", times: 2 }'));
  const { signal } = new AbortController();
  const reply = model.stream(request('hi'), { signal })[Symbol.asyncIterator]();
  await reply.next();
  const asked = { system: 'You are one.', tools: [], settings: {}, messages: [{ user: 'hi' }] };
  expect(linesOf('asked-session-one.jsonl')).toEqual([asked]);
  await askModel(model, request('again'));
  expect(linesOf('asked-session-one.jsonl')).toEqual([asked, { ...asked, messages: [{ user: 'again' }] }]);
});

test('over HTTP it is the body as it came, and a failure is asked as well', async () => {
  const model = await modelOf('over HTTP', await scriptOf('{ error: { status: 400 }, asked: asked.jsonl }'));
  await askModel(model, request('hi'));
  expect(linesOf('asked.jsonl')).toEqual([server?.requests[0]?.body]);
});

test('a place where nothing can be written is told', async () => {
  const model = createScriptModel(await scriptOf('{ text: one, asked: none/asked.jsonl }'));
  expect((await askModel(model, request('hi'))).error).toMatchObject({
    code: 'input.invalid',
    message: `step 1 of a.yaml (line 4) cannot write what was asked into ${join(folder, 'none', 'asked.jsonl')}: there is no such file.`,
  });
});

test.each([
  ['{ text: a, hold: { after: headers } }', 'steps[0].hold: there is no until'],
  ['{ mute: true, hold: { until: go } }', 'steps[0].hold: holds a reply, but there is none'],
  ['{ asked: file }', 'steps[0]: says nothing'],
])('%s cannot be meant', async (step, problem) => {
  await expect(scriptOf(step)).rejects.toThrow(problem);
});
