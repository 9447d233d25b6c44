import { readFileSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

/** Resolves with what is in the file once it ends with a line's end. Its folder must be there. */
export function written(file: string): Promise<string> {
  return new Promise((resolve) => {
    const look = (): void => {
      const text = readWhole(file);
      if (!text.endsWith('\n')) return;
      watcher.close();
      resolve(text);
    };
    // The iterator of `fs/promises` can lose the change that comes right after the one it has just given.
    const watcher = watch(dirname(file), (_, name) => {
      if (name === null || name === basename(file)) look();
    });
    look();
  });
}

function readWhole(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
