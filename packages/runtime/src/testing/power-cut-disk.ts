import type { FileStatus } from '../node/file-system.ts';

/** A change to a file that no sync has made durable. */
type Unsynced = { readonly offset: number; readonly bytes: Uint8Array } | { readonly length: number };

export interface DiskFile {
  content: Uint8Array;
  durable: Uint8Array;
  unsynced: Unsynced[];
}

export interface DiskDirectory {
  readonly entries: Map<string, DiskNode>;
  durableEntries: Map<string, DiskNode>;
}

export type DiskNode = DiskFile | DiskDirectory;

/** What a power cut spares of what was not synced. */
export interface PowerLoss {
  /** Of each file, so many of the bytes written since its last sync, in the order of writing; the rest never reached the disk. */
  readonly keep: number | 'all';
  /** Of the bytes that are kept, so many of the first are zero: later sectors reached the disk before earlier ones. */
  readonly zeroed?: number;
  /** Whether new names in folders that were not synced are still there. */
  readonly entries?: 'kept' | 'lost';
}

export interface Disk {
  readonly root: DiskDirectory;
  find(path: string): DiskNode | undefined;
  status(node: DiskNode): FileStatus;
  /** Notes that the file was changed just now. */
  touch(file: DiskFile): void;
  unsyncedBytes(): number;
}

export function createFile(content: Uint8Array = new Uint8Array(0)): DiskFile {
  return { content, durable: content, unsynced: [] };
}

export function isDirectory(node: DiskNode): node is DiskDirectory {
  return 'entries' in node;
}

export function createDisk(root: DiskDirectory = { entries: new Map(), durableEntries: new Map() }): Disk {
  const changes = new WeakMap<DiskNode, number>();
  const inodes = new WeakMap<DiskNode, number>();
  let inode = 0;
  let clock = 0;
  return {
    root,
    find(path) {
      let node: DiskNode | undefined = root;
      for (const name of path.split('/').filter((part) => part !== '')) {
        node = node !== undefined && isDirectory(node) ? node.entries.get(name) : undefined;
      }
      return node;
    },
    status(node) {
      const number = inodes.get(node) ?? (inode += 1);
      inodes.set(node, number);
      const size = isDirectory(node) ? 0 : node.content.length;
      return { size, modifiedMs: changes.get(node) ?? 0, inode: number, links: isLinked(root, node) ? 1 : 0 };
    },
    touch(file) {
      clock += 1;
      changes.set(file, clock);
    },
    unsyncedBytes: () => unsyncedBytesBelow(root),
  };
}

/** The disk as a power cut leaves it. */
export function copyOf(disk: Disk, loss: PowerLoss): Disk {
  return createDisk(copyDirectory(disk.root, loss));
}

/** What a file's content is when the loss has struck. */
export function contentAfterCut(file: DiskFile, { keep, zeroed = 0 }: PowerLoss): Uint8Array {
  let content = file.durable;
  let left = keep === 'all' ? Number.POSITIVE_INFINITY : keep;
  let toZero = zeroed;
  for (const change of file.unsynced) {
    if (left <= 0) break;
    if ('length' in change) {
      content = resized(content, change.length);
      continue;
    }
    const kept = change.bytes.slice(0, Math.min(left, change.bytes.length));
    kept.fill(0, 0, Math.min(toZero, kept.length));
    toZero = Math.max(0, toZero - kept.length);
    left -= kept.length;
    content = overwrite(content, kept, change.offset);
  }
  return content;
}

export function overwrite(content: Uint8Array, bytes: Uint8Array, offset: number): Uint8Array {
  const changed = resized(content, Math.max(content.length, offset + bytes.length));
  changed.set(bytes, offset);
  return changed;
}

export function resized(content: Uint8Array, length: number): Uint8Array {
  const changed = new Uint8Array(length);
  changed.set(content.subarray(0, length));
  return changed;
}

function copyDirectory(directory: DiskDirectory, loss: PowerLoss): DiskDirectory {
  const entries = new Map<string, DiskNode>();
  for (const [name, node] of loss.entries === 'lost' ? directory.durableEntries : directory.entries) {
    entries.set(name, isDirectory(node) ? copyDirectory(node, loss) : createFile(contentAfterCut(node, loss)));
  }
  return { entries, durableEntries: new Map(entries) };
}

function unsyncedBytesBelow(node: DiskNode): number {
  if (!isDirectory(node))
    return node.unsynced.reduce((sum, change) => sum + ('bytes' in change ? change.bytes.length : 0), 0);
  return Math.max(0, ...[...node.entries.values()].map(unsyncedBytesBelow));
}

function isLinked(directory: DiskDirectory, node: DiskNode): boolean {
  if (node === directory) return true;
  for (const entry of directory.entries.values()) {
    if (entry === node || (isDirectory(entry) && isLinked(entry, node))) return true;
  }
  return false;
}
