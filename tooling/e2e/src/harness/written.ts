import { existsSync, readFileSync } from 'node:fs';
import { watch } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Resolves with what is in the file once it ends with a line's end. Its folder must be there. */
export async function written(file: string): Promise<string> {
  const changes = watch(dirname(file))[Symbol.asyncIterator]();
  try {
    // The first change is waited for from here on, so that none between a look and the next is missed.
    for (let change = changes.next(); ; change = changes.next()) {
      const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
      if (text.endsWith('\n')) return text;
      await change;
    }
  } finally {
    await changes.return?.();
  }
}
