export { createFileStore, type FileStoreOptions } from './file-store.ts';
export type { FileStatus, FileSystem, OpenFile } from './file-system.ts';
export { nodeFileSystem } from './node-file-system.ts';
export { createProcessOwners } from './process-owners.ts';
export type { Lease, Owner, Owners } from './owners.ts';
export { resolveHome } from './resolve-home.ts';
