import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFileStore } from '@rondo/runtime/node';
import { createEventScript, sampleBinding } from '@rondo/runtime/testing';
import { expect, onTestFinished, test } from 'vitest';
import { getLastSession } from './get-last-session.ts';
import { listSessions } from './list-sessions.ts';

test('the last session is that of the last turn, not of the last rename', async () => {
  const home = await mkdtemp(join(tmpdir(), 'rondo-last-'));
  onTestFinished(() => rm(home, { recursive: true }));
  const store = createFileStore({ home });
  const ids = ['a', 'b', 'c', 'd'].map((digit) => `${digit.repeat(8)}-0000-4000-8000-000000000000`);
  for (const [index, id] of ids.entries()) {
    const script = createEventScript(id, { startMs: Date.UTC(2026, 0, 1 + index) });
    const log = await store.create(id);
    const binding = sampleBinding({ cwd: index === 3 ? '/other' : '/work' });
    await log.append([
      script.next({ type: 'session.created', binding }),
      script.next({ type: 'turn.started', turnId: 't', binding }),
    ]);
    if (index > 0) continue;
    const renamed = createEventScript(id, { lastSeq: 2, startMs: Date.UTC(2026, 5, 1) });
    await log.append([renamed.next({ type: 'session.updated', title: 'renamed' })]);
  }
  await store.close();
  const [listedFirst] = await listSessions({ home, dir: '/work' });
  expect(listedFirst?.sessionId).toBe(ids[0]);
  expect((await getLastSession({ home, dir: '/work' }))?.sessionId).toBe(ids[2]);
  expect(await getLastSession({ home, dir: '/nowhere' })).toBeUndefined();
});
