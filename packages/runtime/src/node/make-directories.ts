import { dirname } from 'node:path';
import type { FileSystem } from './file-system.ts';

/**
 * Makes a folder and the folders above it that are missing. Returns the folders that got a new entry: sync them before
 * anything below is called durable.
 */
export async function makeDirectories(fileSystem: FileSystem, path: string): Promise<readonly string[]> {
  const parent = dirname(path);
  try {
    // Nearly always the parent is there and the folder is not.
    return (await fileSystem.makeDirectory(path)) ? [parent] : [];
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT') || parent === path) throw error;
  }
  const above = await makeDirectories(fileSystem, parent);
  return (await fileSystem.makeDirectory(path)) ? [...above, parent] : above;
}
