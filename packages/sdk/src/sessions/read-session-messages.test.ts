import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spillEvent } from '@rondo/runtime';
import { createFileStore } from '@rondo/runtime/node';
import { createEventScript, sampleBinding } from '@rondo/runtime/testing';
import { expect, onTestFinished, test } from 'vitest';
import { getSessionMessages } from './get-session-messages.ts';
import { readSessionMessages } from './read-session-messages.ts';

test('messages are read with the texts that are kept beside the log', async () => {
  const home = await mkdtemp(join(tmpdir(), 'rondo-messages-'));
  onTestFinished(() => rm(home, { recursive: true }));
  const sessionId = 'aaaaaaaa-0000-4000-8000-000000000000';
  const store = createFileStore({ home });
  const log = await store.create(sessionId);
  const script = createEventScript(sessionId);
  const binding = sampleBinding();
  const turn = { turnId: 'bbbbbbbb-0000-4000-8000-000000000000' };
  const long = 'long '.repeat(40_000);
  const id = 'cccccccc-0000-4000-8000-000000000000';
  const content = [{ type: 'text' as const, text: long }];
  const events = [
    script.next({ type: 'session.created', binding }),
    script.next({ type: 'turn.started', ...turn, binding }),
  ];
  const said = script.next({
    type: 'entry.completed',
    ...turn,
    entry: { type: 'message', id, role: 'user', content },
  });
  await log.append([...events, await spillEvent(said, (bytes) => store.blobs(sessionId).write(bytes))]);
  await store.close();
  const whole = await Array.fromAsync(readSessionMessages(sessionId, { home }));
  expect(JSON.stringify(whole)).toContain(long);
  const ids = (messages: readonly { uuid: string }[]) => messages.map(({ uuid }) => uuid);
  expect(ids(whole)).toEqual(ids(await getSessionMessages(sessionId, { home })));
});
