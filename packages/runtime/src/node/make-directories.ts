import { dirname } from 'node:path';
import type { FileSystem } from './file-system.ts';

/**
 * Makes a folder and the folders above it that are missing. Returns the folders that got a new entry: sync them before
 * anything below is called durable.
 */
export async function makeDirectories(fileSystem: FileSystem, path: string): Promise<readonly string[]> {
  if (fileSystem.status(path) !== undefined) return [];
  const parent = dirname(path);
  const above = parent === path ? [] : await makeDirectories(fileSystem, parent);
  return (await fileSystem.makeDirectory(path)) ? [...above, parent] : above;
}
