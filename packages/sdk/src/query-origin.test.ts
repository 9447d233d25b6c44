import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SDKMessage, SDKUserMessage } from '@rondo/protocol';
import { pauseUntil, say, scriptedModel } from '@rondo/runtime/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { query } from './query.ts';
import { getSessionMessages } from './sessions/get-session-messages.ts';
import { assertLineOrder } from './order/line-order.ts';

let root = '';
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'rondo-origin-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const user = (text: string, more: Partial<SDKUserMessage> = {}): SDKUserMessage => ({
  type: 'user',
  message: { role: 'user', content: text },
  parent_tool_use_id: null,
  ...more,
});

test('where a message comes from is said with its result, also of one that waited and of one that joined', async () => {
  const peer = { kind: 'peer', from: 'reviewer', name: 'Reviewer' } as const;
  const channel = { kind: 'channel', server: 'chat' } as const;
  const begun = Promise.withResolvers<void>();
  const sent = Promise.withResolvers<void>();
  const model = scriptedModel([say('one'), [pauseUntil(sent.promise), say('two')], say('joined'), say('three')]);
  const ended = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  async function* prompts(): AsyncGenerator<SDKUserMessage> {
    yield user('from a peer', { origin: peer });
    await ended[0]?.promise;
    yield user('from a person');
    await begun.promise;
    yield user('joins it', { origin: channel });
    yield user('waits', { origin: { kind: 'task-notification' }, priority: 'later' });
    sent.resolve();
    await ended[2]?.promise;
  }
  const options = { model, home: join(root, 'home'), cwd: root, tools: [], env: {}, settingSources: [] };
  const lines: SDKMessage[] = [];
  let results = 0;
  for await (const line of query({ prompt: prompts(), options })) {
    lines.push(line);
    if (line.type === 'system' && line.subtype === 'init' && results === 1) begun.resolve();
    if (line.type === 'result') ended[results++]?.resolve();
  }
  assertLineOrder(lines);
  expect(lines.flatMap((line) => (line.type === 'result' ? [line.origin] : []))).toEqual([
    peer,
    undefined,
    { kind: 'task-notification' },
  ]);
  // What no person of this session said is shown as it comes in; what it was told of itself is not.
  const injected = lines.filter((line) => line.type === 'user');
  expect(injected).toMatchObject([
    { isReplay: true, origin: peer, message: { content: 'from a peer' } },
    { isReplay: true, origin: channel, message: { content: 'joins it' } },
  ]);
  const [first] = lines;
  const stored = await getSessionMessages(first?.session_id ?? '', { home: options.home });
  for (const line of injected) expect(stored.map(({ uuid }) => uuid)).toContain(line.uuid);
});

test('an origin without a kind is refused', async () => {
  const model = scriptedModel([]);
  const options = { model, home: join(root, 'none'), cwd: root, tools: [], env: {}, settingSources: [] };
  async function* prompts(): AsyncGenerator<SDKUserMessage> {
    yield user('hi', { origin: { name: 'x' } as never });
  }
  const read = async (): Promise<void> => {
    for await (const line of query({ prompt: prompts(), options })) expect(line.type).not.toBe('result');
  };
  await expect(read()).rejects.toMatchObject({ code: 'input.invalid' });
});
