import type { FileSystem, OpenFile } from '@rondo/runtime/node';

export const moments = ['before', 'half', 'written', 'synced'] as const;

/** When this process kills itself: at that write, counted from 0, before it, in its middle, after it, or after the sync behind it. */
export interface Death {
  readonly write: number;
  readonly moment: (typeof moments)[number];
}

/** The machine's files, for a process that is killed while it writes to them. */
export function dyingFileSystem(fileSystem: FileSystem, death: Death, onWrite: () => void): FileSystem {
  let writes = 0;
  const dying = (file: OpenFile): OpenFile => ({
    ...file,
    async write(bytes, offset) {
      const now = writes === death.write;
      writes += 1;
      onWrite();
      if (now && death.moment === 'before') die();
      if (now && death.moment === 'half') await file.write(bytes.subarray(0, bytes.length >> 1), offset).then(die);
      await file.write(bytes, offset);
      if (now && death.moment === 'written') die();
    },
    async sync() {
      await file.sync();
      if (death.moment === 'synced' && writes === death.write + 1) die();
    },
  });
  return { ...fileSystem, open: async (path, mode) => dying(await fileSystem.open(path, mode)) };
}

function die(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('this process should have been killed');
}
