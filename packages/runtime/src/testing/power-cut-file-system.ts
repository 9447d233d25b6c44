import { dirname } from 'node:path';
import type { FileSystem, OpenFile } from '../node/file-system.ts';
import {
  contentAfterCut,
  copyOf,
  createDisk,
  createFile,
  isDirectory,
  overwrite,
  resized,
  type Disk,
  type DiskDirectory,
  type DiskFile,
  type PowerLoss,
} from './power-cut-disk.ts';

/** What a call does to the disk. Reads change nothing and are not counted. */
export type DiskOperation = 'create' | 'write' | 'sync' | 'truncate' | 'mkdir' | 'syncDirectory' | 'rename' | 'remove';

/** A file system in memory that keeps what is synced apart from what is not, and can lose the latter. */
export interface PowerCutFileSystem extends FileSystem {
  /** What has been called so far, in order. */
  readonly operations: readonly DiskOperation[];
  /** Turns the power off during that operation, counted from 0: it and everything after it rejects. `onCut` hears of it at once. */
  cutPowerAt(operation: number, onCut?: () => void): void;
  /** Lets that write, sync or directory sync, counted from 0 over all three, fail once: a write leaves half its bytes, a sync loses what it should have kept. */
  failAt(call: number, code: 'EIO' | 'ENOSPC'): void;
  /** The most bytes that any file would lose now. */
  unsyncedBytes(): number;
  /** The disk as it is found when the power is back. This file system stays as it is, so that many losses can be tried. */
  restart(loss: PowerLoss): PowerCutFileSystem;
}

export function createPowerCutFileSystem(disk: Disk = createDisk()): PowerCutFileSystem {
  const operations: DiskOperation[] = [];
  const watchers = new Map<string, Set<() => void>>();
  let cutAt = Number.POSITIVE_INFINITY;
  let whenCut: (() => void) | undefined;
  let failing: { readonly call: number; readonly code: string } | undefined;
  let fallible = 0;

  const assertPower = (): void => {
    if (operations.length > cutAt) throw new Error('the power is off');
  };

  /** Counts the operation. True when the power goes off during it. */
  const begin = (operation: DiskOperation): boolean => {
    assertPower();
    operations.push(operation);
    const isCut = operations.length > cutAt;
    if (isCut) whenCut?.();
    return isCut;
  };

  const fails = (): string | undefined => {
    const call = fallible;
    fallible += 1;
    return call === failing?.call ? failing.code : undefined;
  };

  const directory = (path: string): DiskDirectory => {
    const found = disk.find(path);
    if (found === undefined || !isDirectory(found)) throw failure('ENOENT', path);
    return found;
  };

  const open = (path: string, file: DiskFile): OpenFile => ({
    status: () => disk.status(file),
    async read(into, offset) {
      assertPower();
      const bytes = file.content.subarray(offset, offset + into.length);
      into.set(bytes);
      return bytes.length;
    },
    async write(bytes, offset) {
      const cut = begin('write');
      const code = fails();
      const written = code === undefined ? bytes.slice() : bytes.slice(0, bytes.length >> 1);
      file.content = overwrite(file.content, written, offset);
      file.unsynced.push({ offset, bytes: written });
      disk.touch(file);
      watchers.get(path)?.forEach((changed) => changed());
      if (cut) assertPower();
      if (code !== undefined) throw failure(code, path);
    },
    async sync() {
      if (begin('sync')) assertPower();
      const code = fails();
      // The kernel reports a failed write-back once and then takes the pages for clean: what they held is not on the disk.
      if (code === undefined) file.durable = contentAfterCut(file, { keep: 'all' });
      file.unsynced = [];
      if (code !== undefined) throw failure(code, path);
    },
    async truncate(length) {
      const cut = begin('truncate');
      file.content = resized(file.content, length);
      file.unsynced.push({ length });
      disk.touch(file);
      if (cut) assertPower();
    },
    async close() {},
  });

  return {
    operations,
    cutPowerAt(operation, onCut) {
      cutAt = operation;
      whenCut = onCut;
    },
    failAt(call, code) {
      failing = { call, code };
    },
    unsyncedBytes: () => disk.unsyncedBytes(),
    restart: (loss) => createPowerCutFileSystem(copyOf(disk, loss)),

    async open(path, mode) {
      assertPower();
      const found = disk.find(path);
      if (found !== undefined && !isDirectory(found)) return open(path, found);
      if (mode === 'read' || found !== undefined) throw failure('ENOENT', path);
      const parent = directory(dirname(path));
      const cut = begin('create');
      const file = createFile();
      parent.entries.set(nameOf(path), file);
      disk.touch(file);
      if (cut) assertPower();
      return open(path, file);
    },
    status(path) {
      assertPower();
      const found = disk.find(path);
      return found === undefined ? undefined : disk.status(found);
    },
    async makeDirectory(path) {
      const parent = directory(dirname(path));
      if (parent.entries.has(nameOf(path))) return false;
      const cut = begin('mkdir');
      parent.entries.set(nameOf(path), { entries: new Map(), durableEntries: new Map() });
      if (cut) assertPower();
      return true;
    },
    async syncDirectory(path) {
      if (begin('syncDirectory')) assertPower();
      const code = fails();
      const synced = directory(path);
      if (code !== undefined) throw failure(code, path);
      synced.durableEntries = new Map(synced.entries);
    },
    async rename(from, to) {
      const node = disk.find(from);
      if (node === undefined) throw failure('ENOENT', from);
      const cut = begin('rename');
      directory(dirname(from)).entries.delete(nameOf(from));
      directory(dirname(to)).entries.set(nameOf(to), node);
      if (cut) assertPower();
    },
    async remove(path) {
      if (disk.find(path) === undefined) throw failure('ENOENT', path);
      const cut = begin('remove');
      directory(dirname(path)).entries.delete(nameOf(path));
      if (cut) assertPower();
    },
    async removeTree(path) {
      if (disk.find(path) === undefined) return;
      const cut = begin('remove');
      directory(dirname(path)).entries.delete(nameOf(path));
      if (cut) assertPower();
    },
    async names(path) {
      assertPower();
      const found = disk.find(path);
      return found !== undefined && isDirectory(found) ? [...found.entries.keys()] : [];
    },
    watch(path, changed) {
      const known = watchers.get(path) ?? new Set();
      watchers.set(path, known.add(changed));
      return () => known.delete(changed);
    },
  };
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function failure(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}
