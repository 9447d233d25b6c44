import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { SDKMessage, SDKUserMessage } from '@rondo/protocol';
import type { Model } from '@rondo/runtime';
import { call, say, scriptedModel, type ScriptedModel } from '@rondo/runtime/testing';
import { expect, test, vi } from 'vitest';
import type { Options } from '../options/options.ts';
import { query } from '../query.ts';
import { collectFailing, collectMessages } from '../testing/collect-messages.ts';
import { openHost, paid } from '../testing/agent-host.ts';

// A busy machine takes its time to load what a session needs.
vi.setConfig({ testTimeout: 60_000 });

const texts = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) => (message.type === 'result' && message.subtype === 'success' ? [message.result] : []));

test('a query works with the only agent of a host, and asks its own canUseTool', async () => {
  const model = scriptedModel([[call('pay', { amount: 3 })], [say('It is paid.')]]);
  await using host = await openHost({ clerk: model });
  const asked: unknown[] = [];
  const messages = await collectMessages(
    query({
      prompt: 'Pay 3.',
      options: {
        ...host.options,
        async canUseTool(name, input, { requestId }) {
          asked.push([name, input, typeof requestId]);
          return { behavior: 'allow', updatedInput: { amount: 4 } };
        },
      },
    }),
  );
  expect(asked).toEqual([['pay', { amount: 3 }, 'string']]);
  expect(paid.splice(0)).toEqual([4]);
  expect(texts(messages)).toEqual(['It is paid.']);
  expect(messages[0]).toMatchObject({ type: 'system', subtype: 'init', tools: ['pay'], permissionMode: 'default' });
});

test('states, the ways of messages and the debug file are this side’s, and work as in this process', async () => {
  await using host = await openHost({ clerk: scriptedModel([[say('Yes.')]]) });
  let text = '';
  const options: Options = { ...host.options, sessionStates: true, debug: true, stderr: (data) => (text += data) };
  const messages = await collectMessages(query({ prompt: 'Well?', options }));
  const states = messages.flatMap((line) =>
    line.type === 'system' && line.subtype === 'session_state_changed' ? [line.state] : [],
  );
  expect(states).toEqual(['running', 'idle']);
  const events = text
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { event: string }).event);
  expect(events).toContain('turn.started');
  expect(events.at(-1)).toBe('query.ended');
});

test('a refusal reaches the host, and nothing runs', async () => {
  const model = scriptedModel([[call('pay', { amount: 3 })], [say('I may not.')]]);
  await using host = await openHost({ clerk: model });
  const canUseTool: Options['canUseTool'] = async () => ({ behavior: 'deny', message: 'too much' });
  const messages = await collectMessages(query({ prompt: 'Pay 3.', options: { ...host.options, canUseTool } }));
  expect(paid.splice(0)).toEqual([]);
  expect(messages.at(-1)).toMatchObject({ permission_denials: [{ tool_name: 'pay' }], result: 'I may not.' });
});

test('resume, continue and a stream of messages go on with one session; the same agent is found again', async () => {
  const model = scriptedModel([[say('One.')], [say('Two.')], [say('Three.')], [say('Four.')]]);
  await using host = await openHost({ other: scriptedModel([]), clerk: model });
  const options = { ...host.options, agent: 'clerk' };
  const first = await collectMessages(query({ prompt: '1', options }));
  const resume = first.at(-1)?.session_id ?? '';
  const second = await collectMessages(query({ prompt: '2', options: { ...host.options, resume } }));
  expect(second.at(-1)).toMatchObject({ session_id: resume, result: 'Two.' });
  const third = await collectMessages(query({ prompt: say3(), options: { ...options, continue: true } }));
  expect(third.at(-1)).toMatchObject({ session_id: resume });
  expect(texts(third)).toEqual(['Three.', 'Four.']);
  expect(requestTexts(model)).toEqual(['1', '2', '3', '4']);
});

async function* say3(): AsyncGenerator<SDKUserMessage> {
  for (const text of ['3', '4']) {
    yield { type: 'user', message: { role: 'user', content: text }, parent_tool_use_id: null, priority: 'later' };
  }
}

/** The last words of a person in each request. */
function requestTexts({ requests }: ScriptedModel): string[] {
  return requests.map(({ messages }) => {
    const last = messages.findLast(({ role }) => role === 'user');
    const block = last?.content.findLast(({ type }) => type === 'text');
    return block !== undefined && 'text' in block ? String(block.text) : '';
  });
}

test('what the person asks for otherwise is a customization of the session', async () => {
  const model = scriptedModel([[say('Ahoy.')]]);
  await using host = await openHost({ clerk: model });
  await collectMessages(query({ prompt: 'Hello.', options: { ...host.options, systemPrompt: 'You are a sailor.' } }));
  expect(model.requests[0]?.system).toContain('You are a sailor.');
});

test('interrupting stops the turn at the host, and closing leaves nothing open', async () => {
  const hung = Promise.withResolvers<void>();
  const model: Model = {
    name: 'scripted/hangs',
    stream: (_request, { signal }) => ({
      [Symbol.asyncIterator]: () => ({
        next() {
          hung.resolve();
          return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
        },
      }),
    }),
  };
  await using host = await openHost({ clerk: model });
  const running = query({ prompt: waiting(hung.promise), options: host.options });
  const reading = collectMessages(running);
  await hung.promise;
  await running.interrupt();
  expect((await reading).at(-1)).toMatchObject({ type: 'result', terminal_reason: 'aborted_streaming' });
});

async function* waiting(until: Promise<void>): AsyncGenerator<SDKUserMessage> {
  yield { type: 'user', message: { role: 'user', content: 'Go.' }, parent_tool_use_id: null };
  await until;
}

test('what belongs to the host is refused by name, before anything is sent', () => {
  const url = 'ws://127.0.0.1:1';
  const refused = (options: Options): unknown => {
    try {
      query({ prompt: 'Go.', options: { url, ...options } });
    } catch (error) {
      return error;
    }
    return 'taken';
  };
  expect(refused({ tools: ['Bash'] })).toMatchObject({ code: 'input.invalid', details: { option: 'tools' } });
  expect(refused({ hooks: { Stop: [{ hooks: [async () => ({})] }] } })).toMatchObject({ details: { option: 'hooks' } });
  expect(refused({ permissionMode: 'bypassPermissions' })).toMatchObject({ details: { option: 'permissionMode' } });
  expect(refused({ model: scriptedModel([]) })).toMatchObject({ details: { option: 'model' } });
  expect(refused({ maxTurns: 0 })).toMatchObject({ details: { option: 'maxTurns' } });
  expect(refused({ continue: true, resume: randomUUID() })).toMatchObject({ details: { option: 'continue' } });
  expect(refused({ canUseTol: () => {} } as Options)).toMatchObject({
    message: expect.stringContaining('options.canUseTol is no option of query()'),
  });
  expect(refused({ url: 'somewhere' })).toMatchObject({ details: { option: 'url' } });
});

test('an agent that the host does not serve, a wrong token and a host that is not there are errors that say so', async () => {
  await using host = await openHost({ clerk: scriptedModel([]), reviewer: scriptedModel([]) });
  const failing = async (options: Options): Promise<unknown> =>
    await collectMessages(query({ prompt: 'Go.', options: { ...host.options, ...options } })).catch(
      (error: unknown) => error,
    );
  expect(await failing({ agent: 'clark' })).toMatchObject({ message: expect.stringContaining('Did you mean clerk?') });
  expect(await failing({})).toMatchObject({ message: expect.stringContaining('It serves clerk, reviewer.') });
  expect(await failing({ token: 'wrong' })).toMatchObject({ code: 'access.unauthenticated' });
});

test('a model that cannot be reached is an error result, as in this process', async () => {
  const model: Model = {
    name: 'scripted/gone',
    stream: () => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('gone')) }) }),
  };
  await using host = await openHost({ clerk: model });
  const messages = await collectFailing(query({ prompt: 'Go.', options: host.options }));
  expect(messages.at(-1)).toMatchObject({ type: 'result', is_error: true });
});

test('a host that takes the connection and says nothing holds up nobody who closes', async () => {
  const silent = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const address = silent.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const reached = once(silent, 'connection');
  const running = query({ prompt: 'Well?', options: { url: `ws://127.0.0.1:${address.port}`, token: 'any' } });
  await reached;
  running.close();
  expect(await running.next()).toMatchObject({ done: true });
  await running[Symbol.asyncDispose]();
  silent.close();
});
