import fs from 'node:fs';
import type { FileStatus, FileSystem, OpenFile } from './file-system.ts';

const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;

/** The machine's files. Descriptors rather than file handles: a commit is two calls of the thread pool and nothing else. */
export const nodeFileSystem: FileSystem = {
  open: async (path, mode) =>
    openFile(
      await openDescriptor(path, mode === 'read' ? fs.constants.O_RDONLY : fs.constants.O_RDWR | fs.constants.O_CREAT),
    ),
  status(path) {
    const found = fs.statSync(path, { throwIfNoEntry: false });
    return found === undefined ? undefined : statusOf(found);
  },
  makeDirectory: (path) =>
    new Promise((resolve, reject) => {
      fs.mkdir(path, { mode: DIRECTORY_MODE }, (error) => {
        if (error === null) resolve(true);
        else if (error.code === 'EEXIST') resolve(false);
        else reject(error);
      });
    }),
  async syncDirectory(path) {
    // Windows has no handle on a folder to sync; its file systems journal entries with the file.
    if (process.platform === 'win32') return;
    const descriptor = await openDescriptor(path, fs.constants.O_RDONLY);
    try {
      await settle((done) => fs.fsync(descriptor, done));
    } finally {
      await settle((done) => fs.close(descriptor, done));
    }
  },
  rename: (from, to) => settle((done) => fs.rename(from, to, done)),
  remove: (path) => settle((done) => fs.unlink(path, done)),
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
      let done = 0;
      while (done < bytes.length) done += await writeSome(descriptor, bytes.subarray(done), offset + done);
    },
    sync: () => settle((done) => fs.fdatasync(descriptor, done)),
    truncate: (length) => settle((done) => fs.ftruncate(descriptor, length, done)),
    close: () => settle((done) => fs.close(descriptor, done)),
  };
}

function openDescriptor(path: string, flags: number): Promise<number> {
  return new Promise((resolve, reject) => {
    fs.open(path, flags, FILE_MODE, (error, descriptor) => {
      if (error === null) resolve(descriptor);
      else reject(error);
    });
  });
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
