import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEventScript, sampleBinding } from '../testing/event-script.ts';
import { createFileStore } from './file-store.ts';
import { openLogFile } from './open-log-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rondo-log-file-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a copy of a log reads as the log does, blobs beside it included', async () => {
  const sessionId = '0b54a5f2-93a7-4c5e-8d7e-2f1c6a9b0d11';
  const store = createFileStore({ home: join(folder, 'home') });
  const log = await store.create(sessionId);
  const script = createEventScript(sessionId);
  await log.append([
    script.next({ type: 'session.created', binding: sampleBinding() }),
    script.next({ type: 'notice', level: 'info', message: 'one' }),
    script.next({ type: 'notice', level: 'info', message: 'two' }),
  ]);
  const { hash } = await store.blobs(sessionId).write(new TextEncoder().encode('large'));
  const events = await Array.fromAsync(store.read(sessionId));
  await store.close();
  cpSync(join(folder, 'home', 'sessions', sessionId), join(folder, 'copy'), { recursive: true });

  const copy = await openLogFile(join(folder, 'copy', 'log.jsonl'));
  expect(copy.sessionId).toBe(sessionId);
  expect(await Array.fromAsync(copy.read())).toEqual(events);
  expect(events).toHaveLength(3);
  expect(new TextDecoder().decode(await copy.readBlob(hash))).toBe('large');
});

test('what is no log is told', async () => {
  const file = join(folder, 'a.jsonl');
  await expect(openLogFile(file)).rejects.toMatchObject({ code: 'session.not_found', details: { path: file } });
  writeFileSync(file, '{}\n');
  await expect(openLogFile(file)).rejects.toThrow('it does not begin as a log does');
});
