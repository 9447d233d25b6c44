import { chmodSync, lstatSync, mkdirSync } from 'node:fs';
import { enableCompileCache, getCompileCacheDir } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ChunkLoader } from './chunk-loader.ts';
import { type CodeCache, openCodeCache } from './code-cache.ts';

/** Runs the bundle of that folder, by its entry `main.js`. */
export function start(bundle: string): void {
  const loader = new ChunkLoader(openCache());
  process.on('exit', () => loader.keep());
  loader.load(join(bundle, 'main.js'));
}

/** Without a usable home there is no cache. */
function openCache(): CodeCache | undefined {
  if (process.env['NODE_DISABLE_COMPILE_CACHE']) return undefined;
  try {
    if (!process.env['NODE_COMPILE_CACHE']) enableCompileCache(ownFolder());
    const folder = getCompileCacheDir();
    return folder === undefined ? undefined : openCodeCache(folder);
  } catch {
    // A read-only or missing home costs start-up time, not the command.
    return undefined;
  }
}

/**
 * Holds code that will be run, so it is the user's alone.
 * @throws when it cannot be so.
 */
function ownFolder(): string {
  const home = process.env['RONDO_HOME'] || join(homedir(), '.rondo');
  const folder = join(home, 'cache', 'compile');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stats = lstatSync(folder);
  const isForeign = process.getuid !== undefined && stats.uid !== process.getuid();
  if (!stats.isDirectory() || isForeign) throw new Error(`${folder} is not a folder of this user`);
  if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0) chmodSync(folder, 0o700);
  return folder;
}
