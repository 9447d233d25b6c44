import { isRondoError } from '@rondo/protocol/values';
import type { ModelMessage, ModelRequest } from '@rondo/runtime';
import { expect, test } from 'vitest';
import { askModel } from '../testing/ask-model.ts';
import { createScriptModel } from './create-script-model.ts';
import { readScript } from './read-script.ts';

async function modelOf(steps: string, head = '') {
  const variables = { cwd: '/work', home: '/home/ann' };
  return createScriptModel(await readScript(`version: 1\n${head}steps:\n${steps}`, { file: 'a.yaml', variables }));
}

const user = (text: string): ModelMessage => ({ role: 'user', content: [{ type: 'text', text }] });
const model = 'scripted/a.yaml';
const said = (text: string): ModelMessage => ({ role: 'assistant', content: [{ type: 'text', text }], model });
const called: ModelMessage = {
  role: 'assistant',
  content: [{ type: 'tool_call', toolCallId: 'call-1', name: 'Bash', input: {} }],
  model,
};
const resulted = (text: string, isError = false): ModelMessage => ({
  role: 'user',
  content: [{ type: 'tool_result', toolCallId: 'call-1', isError, content: [{ type: 'text', text }] }],
});
const request = (...messages: ModelMessage[]): Partial<ModelRequest> => ({ messages, sessionId: 'session-one' });

test('a step is a whole reply: pieces, IDs of calls, stop reason, usage', async () => {
  const scripted = await modelOf(`
  - reasoning: Let me see.
    text: [I , "look in \${cwd}."]
    call: Read
    input: { file_path: "\${session-id}" }
  - reply: [{ call: Read }, { call: Edit, id: mine }, { redacted: abc }, { opaque: { type: box }, provider: x }]
    stop: max_tokens
    usage: { inputTokens: 1, outputTokens: 2 }`);
  const first = await askModel(scripted, request(user('hi')));
  expect(first.blocks).toEqual([
    { type: 'reasoning', text: 'Let me see.', signature: 'scripted' },
    { type: 'text', text: 'Ilook in /work.' },
    { type: 'tool_call', toolCallId: 'call-1', name: 'Read', input: { file_path: 'session-one' } },
  ]);
  expect(first.parts.filter((part) => part.type === 'delta' && part.index === 1)).toHaveLength(2);
  expect(first.end).toEqual({ type: 'end', stopReason: 'tool_use', usage: { inputTokens: 10, outputTokens: 5 } });
  const second = await askModel(scripted, request(user('hi'), called, resulted('x')));
  expect(second.blocks).toMatchObject([
    { toolCallId: 'call-2', name: 'Read', input: {} },
    { toolCallId: 'mine' },
    { type: 'reasoning', text: '', redacted: 'abc' },
    { type: 'opaque', provider: 'x', raw: { type: 'box' } },
  ]);
  expect(second.end).toMatchObject({ stopReason: 'max_tokens', usage: { inputTokens: 1, outputTokens: 2 } });
  scripted.assertDone();
});

test('arguments that are no JSON come as they would from a model', async () => {
  const { blocks } = await askModel(await modelOf(`  - { call: Bash, json: 'ls -l }' }`), request(user('hi')));
  expect(blocks).toMatchObject([{ name: 'Bash', input: {}, malformed: { text: 'ls -l }' } }]);
});

test.each([
  [
    'error: { status: 429, retryAfter: 2, message: slow down }',
    { code: 'model.rate_limited', message: 'slow down', details: { status: 429, retryAfterMs: 2000 } },
    0,
  ],
  [
    'error: { code: model.refused }',
    { code: 'model.refused', message: 'step 1 of a.yaml (line 3) fails with model.refused' },
    0,
  ],
  ['reset: true', { code: 'model.connection_failed' }, 0],
  ['{ text: a b, fault: { cut: { events: 3 } } }', { code: 'model.stream_broken' }, 3],
  ['{ text: a, call: b, fault: { cut: first-tool-call } }', { code: 'model.stream_broken' }, 7],
  ['{ text: a b, fault: { badJson: 2 } }', { code: 'model.stream_broken' }, 2],
  [
    '{ text: a b, fault: { error: { type: overloaded_error, message: full }, after: { events: 1 } } }',
    { code: 'model.overloaded', message: 'full' },
    1,
  ],
])('%s fails as a vendor would', async (step, error, parts) => {
  const answer = await askModel(await modelOf(`  - ${step}`), request(user('hi')));
  expect(answer.error).toMatchObject(error);
  expect(answer.parts).toHaveLength(parts);
});

test.each(['mute: true', '{ text: a b, fault: { silence: { events: 2 } } }'])(
  '%s waits until it is aborted',
  async (step) => {
    const controller = new AbortController();
    const stream = (await modelOf(`  - ${step}`)).stream(
      { system: '', tools: [], messages: [user('hi')] },
      { signal: controller.signal },
    );
    const reading = Array.fromAsync(stream);
    controller.abort(new Error('enough'));
    await expect(reading).rejects.toMatchObject({ code: 'operation.aborted' });
  },
);

test('a request that has no step is shown, and counts as a failure', async () => {
  const scripted = await modelOf('  - text: one');
  const { error } = await askModel(scripted, request(user('a'), said('b'), user('what now?')));
  expect(error).toMatchObject({
    code: 'model.request_invalid',
    retryable: false,
    message:
      'a.yaml has no step for this request: it has 1, and the conversation holds 1 answer already. The request ends with:\n  what now?',
  });
  expect(() => scripted.assertDone()).toThrow('has no step');
});

test('a session that fits no conversation is told so', async () => {
  const scripted = await modelOf(`
  - { conversation: a, expect: { user: apple }, text: red }
  - { conversation: b, expect: { user: sky }, text: blue }`);
  expect((await askModel(scripted, request(user('the sky?')))).text).toBe('blue');
  const { error } = await askModel(scripted, { ...request(user('the sea?')), sessionId: 'session-two' });
  expect(error).toMatchObject({ message: expect.stringContaining('none of its 2 conversations fits') });
});

test('steps that nobody used fail what asks for it', async () => {
  const steps = '  - text: one\n  - text: two\n    times: 2';
  const lenient = await modelOf(steps);
  await askModel(lenient, request(user('a')));
  expect(() => lenient.assertDone()).toThrow('2 steps of a.yaml were not used, the first is step 2 of a.yaml (line 4)');
  await lenient.close();
  const strict = await modelOf(steps, 'unused: error\n');
  await askModel(strict, request(user('a'), said('one'), user('b')));
  await expect(strict.close()).rejects.toThrow('1 step of a.yaml was not used, step 2 of a.yaml (line 5).');
  await askModel(strict, request(user('a'), said('one'), user('b'), said('two'), user('c')));
  await strict.close();
});

test.each([
  ['user: three', 'the last user message to hold "three"'],
  ['user: [one, { matches: "^t.o$" }]', undefined],
  ['user: { matches: "^x" }', 'the last user message to match /^x/'],
  ['system: [you, them]', 'the system prompt to hold "them"'],
  ['tools: [Read, Bash]', 'the tool Bash to be offered; there are Read'],
  ['results: [x]', '1 result of calls; there are 0'],
])('expect: { %s } %s', async (expectation, problem) => {
  const scripted = await modelOf(`  - { expect: { ${expectation} }, text: good }`);
  const tools = [{ name: 'Read', description: '', inputSchema: { type: 'object' } }];
  const answer = await askModel(scripted, { ...request(user('one\ntwo')), system: 'you', tools });
  if (problem === undefined) expect(answer.text).toBe('good');
  else
    expect(answer.error).toMatchObject({
      code: 'model.request_invalid',
      message: `step 1 of a.yaml (line 3) expects ${problem}. The request ends with:\n  one\n  two`,
    });
});

test.each([
  ['{ holds: 12 pens, error: true }', false, 'result 1 to be a failure'],
  ['{ matches: "\\\\d+ pens", error: false }', false, undefined],
  ['13 pens', false, 'result 1 to hold "13 pens"'],
])('a result: %s of 12 pens', async (held, isError, problem) => {
  const scripted = await modelOf(`  - call: Bash\n  - { expect: { results: [${held}] }, text: good }`);
  const { error } = await askModel(scripted, request(user('a'), called, resulted('12 pens', isError)));
  expect(isRondoError(error) ? error.details['problem'] : undefined).toBe(problem);
});

const recorded = `
  - request:
      system: You are one.
      tools: [{ name: Bash, description: Runs., inputSchema: { type: object } }]
      user: ["Date: 2026-01-01", list files in /work]
    call: Bash
  - request: { user: [{ result: Bash, text: "a\\nb\\nc" }] }
    text: done`;
const tools = [{ name: 'Bash', description: 'Runs.', inputSchema: { type: 'object' } }];
const first: ModelMessage = {
  role: 'user',
  content: [
    { type: 'text', text: 'Date: 2027-12-31' },
    { type: 'text', text: 'list files in /work' },
  ],
};
const ignore = "ignore: ['^Date: .*$']\n";

test('a recorded request is held against the one that is asked, and what is ignored may differ', async () => {
  const scripted = await modelOf(recorded, ignore);
  const asked = { system: 'You are one.', tools };
  expect((await askModel(scripted, { ...request(first), ...asked })).error).toBeUndefined();
  expect((await askModel(scripted, { ...request(first, called, resulted('a\nb\nc')), ...asked })).text).toBe('done');
});

test('what differs is shown as a diff, and only that', async () => {
  const scripted = await modelOf(recorded, ignore);
  const { error } = await askModel(scripted, { ...request(first), system: 'You are two.', tools });
  expect(error).toMatchObject({
    code: 'model.request_invalid',
    message: `step 1 of a.yaml (line 5) was recorded for another request. What differs:
--- recorded
+++ asked
@@ -1,1 +1,1 @@
-system: You are one.
+system: You are two.
Record it anew where the new request is meant.`,
  });
  const later = await askModel(await modelOf(recorded), {
    ...request(first, called, resulted('a\nx\nc')),
    system: 'You are one.',
    tools,
  });
  expect(later.error).toMatchObject({ message: expect.stringContaining('       a\n-      b\n+      x\n       c') });
});

test('how much has to be the same, match says', async () => {
  const changed = { ...request(first, called, resulted('other')), system: 'You are one.', tools: [] };
  const ask = async (match: string, more: Partial<ModelRequest> = {}) =>
    (await askModel(await modelOf(recorded, `${ignore}match: ${match}\n`), { ...changed, ...more })).text;
  expect(await ask('prompts')).toBe('done');
  expect(await ask('prompts', { system: 'changed' })).toBe('');
  expect(await ask('none', { system: 'changed' })).toBe('done');
});
