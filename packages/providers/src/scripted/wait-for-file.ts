import { existsSync, watch } from 'node:fs';
import { dirname } from 'node:path';
import { abortedRequest } from './aborted-request.ts';

/** How often is looked where nothing tells of changes: the folder is not there yet, or its file system says nothing. */
const lookEveryMs = 100;

/** Resolves once there is a file of that name; the process lives on meanwhile. @throws RondoError `operation.aborted`. */
export function waitForFile(file: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      if (!existsSync(file)) return;
      stop();
      resolve();
    };
    const abort = (): void => {
      stop();
      reject(abortedRequest(signal));
    };
    const timer = setInterval(look, lookEveryMs);
    const stopWatching = watchFolder(dirname(file), look);
    const stop = (): void => {
      clearInterval(timer);
      stopWatching();
      signal.removeEventListener('abort', abort);
    };
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    else look();
  });
}

function watchFolder(folder: string, onChange: () => void): () => void {
  try {
    const watcher = watch(folder, onChange);
    // Folders may be removed, and a system has only so many watches; then the timer looks alone.
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    return () => undefined;
  }
}
