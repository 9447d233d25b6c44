import { expect, test } from 'vitest';
import type { McpMessage } from './mcp-server.ts';
import { createLinkedTransports } from './linked-transports.ts';

test('messages come in order, as copies, also those sent before the other end has started', async () => {
  const [ours, theirs] = createLinkedTransports();
  const heard: McpMessage[] = [];
  const last = Promise.withResolvers<void>();
  theirs.onmessage = (message) => {
    heard.push(message);
    if (message['n'] === 2) last.resolve();
  };
  await ours.start();
  const first = { n: 1, deep: { kept: true } };
  await ours.send(first);
  first.deep.kept = false;
  await theirs.start();
  await ours.send({ n: 2 });
  await last.promise;
  expect(heard).toEqual([{ n: 1, deep: { kept: true } }, { n: 2 }]);
});

test('a close is heard at both ends once, and nothing comes after it', async () => {
  const [ours, theirs] = createLinkedTransports();
  const closed: string[] = [];
  ours.onclose = () => closed.push('ours');
  theirs.onclose = () => closed.push('theirs');
  await Promise.all([ours.start(), theirs.start()]);
  await theirs.close();
  await ours.close();
  expect(closed).toEqual(['theirs', 'ours']);
  await expect(ours.send({})).rejects.toThrow('closed');
});

test('a listener that throws is heard of, and the next message comes', async () => {
  const [ours, theirs] = createLinkedTransports();
  const errors: string[] = [];
  const second = Promise.withResolvers<void>();
  theirs.onerror = (error) => errors.push(error.message);
  theirs.onmessage = ({ n }) => {
    if (n === 1) throw new Error('unreadable');
    second.resolve();
  };
  await theirs.start();
  await ours.send({ n: 1 });
  await ours.send({ n: 2 });
  await second.promise;
  expect(errors).toEqual(['unreadable']);
});

test('an answer that is no JSON is an error, and another message that is none is refused', async () => {
  const [ours, theirs] = createLinkedTransports();
  const heard = Promise.withResolvers<McpMessage>();
  theirs.onmessage = heard.resolve;
  await theirs.start();
  await expect(ours.send({ method: 'notifications/x', params: { big: 1n } })).rejects.toThrow(TypeError);
  await ours.send({ jsonrpc: '2.0', id: 7, result: { big: 1n } });
  expect(await heard.promise).toMatchObject({ id: 7, error: { message: expect.stringContaining('no JSON') } });
});
