export { createFileStore, type FileStoreOptions } from './file-store.ts';
export type { FileStatus, FileSystem, OpenFile } from './file-system.ts';
export { createKernelOwners, type KernelOwnersOptions } from './kernel-owners.ts';
export { nodeFileSystem } from './node-file-system.ts';
export { createProcessOwners } from './process-owners.ts';
export type { Lease, Owner, Owners } from './owners.ts';
export { resolveHome } from './resolve-home.ts';
export { createNodeRuntime, type NodeRuntimeOptions } from './create-node-runtime.ts';
export { resolvePath } from './resolve-path.ts';
