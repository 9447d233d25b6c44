import { randomUUID } from 'node:crypto';
import { open, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A text, open for reading, in a file without a name. What a process is given as its input so is a file to it, no socket:
 * it can open /dev/stdin, nobody waits for whoever does not read, and bash does not take itself for a login over the
 * network, for which it would run the person's start-up files.
 */
export async function openInputFile(text: string): Promise<FileHandle> {
  const path = join(tmpdir(), `rondo-input-${randomUUID()}`);
  try {
    await writeFile(path, text, { mode: 0o600, flag: 'wx' });
    return await open(path, 'r');
  } catch (error) {
    const { RondoError } = await import('@rondo/protocol');
    const reason = error instanceof Error ? error.message : String(error);
    throw new RondoError('sandbox.unavailable', `the input of a process could not be written: ${reason}`, {
      cause: error,
    });
  } finally {
    await rm(path, { force: true }).catch(() => undefined);
  }
}
