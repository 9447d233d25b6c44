import fs from 'node:fs';
import type { FileStatus, FileSystem, OpenFile } from './file-system.ts';

const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;

/** Written at once; more than this is a matter for the thread pool. */
const SMALL_WRITE_BYTES = 64 * 1024;

/**
 * The machine's files. What ends in the system's memory, a name or a few kilobytes, is done at once: handing it to the
 * thread pool and back costs many times the work. A commit is one call of the pool, its sync.
 */
export const nodeFileSystem: FileSystem = {
  open: async (path, mode) =>
    openFile(
      fs.openSync(
        path,
        mode === 'read' ? fs.constants.O_RDONLY : fs.constants.O_RDWR | fs.constants.O_CREAT,
        FILE_MODE,
      ),
    ),
  status(path) {
    const found = fs.statSync(path, { throwIfNoEntry: false });
    return found === undefined ? undefined : statusOf(found);
  },
  async makeDirectory(path) {
    try {
      fs.mkdirSync(path, { mode: DIRECTORY_MODE });
      return true;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
      throw error;
    }
  },
  // Windows has no handle on a folder to sync; its file systems journal entries with the file.
  syncDirectory: process.platform === 'win32' ? () => Promise.resolve() : syncsTogether(syncDirectory),
  rename: (from, to) => settle((done) => fs.rename(from, to, done)),
  remove: (path) => settle((done) => fs.unlink(path, done)),
  removeTree: (path) => settle((done) => fs.rm(path, { recursive: true, force: true }, done)),
  names: (path) =>
    new Promise((resolve, reject) => {
      fs.readdir(path, (error, names) => {
        if (error === null) resolve(names);
        else if (error.code === 'ENOENT') resolve([]);
        else reject(error);
      });
    }),
  watch(path, changed) {
    try {
      const watcher = fs.watch(path, { persistent: false }, changed);
      // Watching is an optimisation over polling: a machine that is out of watches only follows more slowly.
      watcher.on('error', () => watcher.close());
      return () => watcher.close();
    } catch {
      return () => undefined;
    }
  },
};

function openFile(descriptor: number): OpenFile {
  return {
    status: () => statusOf(fs.fstatSync(descriptor)),
    async read(into, offset) {
      let done = 0;
      while (done < into.length) {
        const count = await readSome(descriptor, into.subarray(done), offset + done);
        if (count === 0) break;
        done += count;
      }
      return done;
    },
    async write(bytes, offset) {
      const small = bytes.length <= SMALL_WRITE_BYTES;
      let done = 0;
      while (done < bytes.length) {
        const rest = bytes.subarray(done);
        const at = offset + done;
        done += small ? fs.writeSync(descriptor, rest, 0, rest.length, at) : await writeSome(descriptor, rest, at);
      }
    },
    sync: () => settle((done) => fs.fdatasync(descriptor, done)),
    truncate: (length) => settle((done) => fs.ftruncate(descriptor, length, done)),
    close: async () => fs.closeSync(descriptor),
  };
}

async function syncDirectory(path: string): Promise<void> {
  const descriptor = fs.openSync(path, fs.constants.O_RDONLY);
  try {
    await settle((done) => fs.fsync(descriptor, done));
  } finally {
    fs.closeSync(descriptor);
  }
}

/**
 * One sync of a folder at a time. Whoever asks meanwhile waits for one that begins after it asked, and shares it: a
 * thousand sessions made at once need a few syncs of the folder they are in, not a thousand.
 */
function syncsTogether(sync: (path: string) => Promise<void>): (path: string) => Promise<void> {
  const running = new Map<string, Promise<void>>();
  const next = new Map<string, Promise<void>>();

  const start = (path: string): Promise<void> => {
    const syncing = sync(path).finally(() => {
      if (running.get(path) === syncing) running.delete(path);
    });
    running.set(path, syncing);
    return syncing;
  };

  return (path) => {
    const before = running.get(path);
    if (before === undefined) return start(path);
    const known = next.get(path);
    if (known !== undefined) return known;
    const following = before
      .catch(() => undefined)
      .then(() => {
        next.delete(path);
        return start(path);
      });
    next.set(path, following);
    return following;
  };
}

function readSome(descriptor: number, into: Uint8Array, offset: number): Promise<number> {
  return new Promise((resolve, reject) => {
    fs.read(descriptor, into, 0, into.length, offset, (error, count) => {
      if (error === null) resolve(count);
      else reject(error);
    });
  });
}

function writeSome(descriptor: number, bytes: Uint8Array, offset: number): Promise<number> {
  return new Promise((resolve, reject) => {
    fs.write(descriptor, bytes, 0, bytes.length, offset, (error, count) => {
      if (error === null) resolve(count);
      else reject(error);
    });
  });
}

function settle(start: (done: (error: NodeJS.ErrnoException | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    start((error) => {
      if (error === null || error === undefined) resolve();
      else reject(error);
    });
  });
}

function statusOf(stats: fs.Stats): FileStatus {
  return { size: stats.size, modifiedMs: stats.mtimeMs, inode: stats.ino, links: stats.nlink };
}
