import type { OpenFile } from './file-system.ts';

/** How long a file stays open that nobody uses. A host has more sessions than a process may have files. */
const RESTS_AFTER_MS = 30_000;

/** A file that is open only around its use. */
export interface RestingFile {
  /** The file, opened again where it had been closed meanwhile. */
  awake(): Promise<OpenFile>;
  /** Nobody uses it now: it closes by and by. */
  rest(): void;
  /** For good. */
  close(): Promise<void>;
}

/** `reopen` gets what named the file while it was open, and rejects where another one lies there now. */
export function createRestingFile(opened: OpenFile, reopen: (inode: number) => Promise<OpenFile>): RestingFile {
  let file: OpenFile | undefined = opened;
  let inode = 0;
  let timer: NodeJS.Timeout | undefined;

  function sleep(): void {
    timer = undefined;
    const resting = file;
    if (resting === undefined) return;
    inode = resting.status().inode;
    file = undefined;
    // Everything in it was synced: nothing can be lost by a close.
    resting.close().catch(() => undefined);
  }

  return {
    async awake() {
      clearTimeout(timer);
      timer = undefined;
      return (file ??= await reopen(inode));
    },
    rest() {
      clearTimeout(timer);
      timer = setTimeout(sleep, RESTS_AFTER_MS).unref();
    },
    async close() {
      clearTimeout(timer);
      await file?.close();
      file = undefined;
    },
  };
}
