import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createEventScript, sampleBinding } from '../testing/event-script.ts';
import { createPowerCutFileSystem } from '../testing/power-cut-file-system.ts';
import type { FileSystem } from './file-system.ts';
import { createFileStore } from './file-store.ts';
import { createProcessOwners } from './process-owners.ts';

const sessionId = '6f1c4a52-0b5e-4e3b-9c0e-0d4f6a7b8c91';
const log = `/home/sessions/${sessionId}/log.jsonl`;
const aMinute = 60_000;

/** A session with its first event, and how many of its files are open. */
async function begunSession() {
  const disk = createPowerCutFileSystem();
  let open = 0;
  const fileSystem: FileSystem = {
    ...disk,
    async open(path, mode) {
      const file = await disk.open(path, mode);
      open += 1;
      return {
        ...file,
        close() {
          open -= 1;
          return file.close();
        },
      };
    },
  };
  const store = createFileStore({ home: '/home', fileSystem, owners: createProcessOwners() });
  const owned = await store.create(sessionId);
  const script = createEventScript(sessionId);
  const notice = (message: string) => script.next({ type: 'notice', level: 'info', message });
  await owned.append([script.next({ type: 'session.created', binding: sampleBinding() })]);
  return { disk, owned, notice, openFiles: () => open };
}

async function textOf(disk: FileSystem): Promise<string> {
  const file = await disk.open(log, 'read');
  const bytes = new Uint8Array(disk.status(log)?.size ?? 0);
  await file.read(bytes, 0);
  await file.close();
  return new TextDecoder().decode(bytes);
}

describe('the file of a log that nobody writes', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  test('is closed after a while, and opened again by the next append', async () => {
    const { disk, owned, notice, openFiles } = await begunSession();
    expect(openFiles()).toBe(1);
    const before = await textOf(disk);
    await vi.advanceTimersByTimeAsync(aMinute);
    expect(openFiles()).toBe(0);
    const next = notice('after the rest');
    await owned.append([next]);
    expect(openFiles()).toBe(1);
    const text = await textOf(disk);
    expect(text.startsWith(before)).toBe(true);
    expect(text.slice(before.length)).toContain(next.json.slice(1, -1));
    await owned.release();
    expect(openFiles()).toBe(0);
  });

  test('stays open while there are appends', async () => {
    const { owned, notice, openFiles } = await begunSession();
    for (let index = 0; index < 5; index += 1) {
      await vi.advanceTimersByTimeAsync(aMinute / 3);
      await owned.append([notice(`${index}`)]);
      expect(openFiles()).toBe(1);
    }
  });

  test('is not made again where it was removed meanwhile', async () => {
    const { disk, owned, notice } = await begunSession();
    await vi.advanceTimersByTimeAsync(aMinute);
    await disk.remove(log);
    await expect(owned.append([notice('late')])).rejects.toMatchObject({
      code: 'session.write_failed',
      message: expect.stringContaining('was deleted'),
    });
    expect(disk.status(log)).toBeUndefined();
  });

  test('is not taken for another one of its size that lies there now', async () => {
    const { disk, owned, notice } = await begunSession();
    await vi.advanceTimersByTimeAsync(aMinute);
    const size = disk.status(log)?.size ?? 0;
    await disk.remove(log);
    const other = await disk.open(log, 'update');
    await other.write(new Uint8Array(size), 0);
    await expect(owned.append([notice('late')])).rejects.toMatchObject({
      code: 'session.write_failed',
      message: expect.stringContaining('was replaced'),
    });
    expect(disk.status(log)?.size).toBe(size);
  });
});
