import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { runQuietly } from '../run-quietly.ts';
import type { PublicPackage } from './public-packages.ts';

/** Packs what is built, and returns the tarball. Refuses to pack output whose source is gone. */
export async function packPackage(source: PublicPackage, destination: string): Promise<string> {
  const leftOver = source.isCommand ? [] : outputsWithoutSource(source.folder);
  if (leftOver.length > 0) {
    throw new Error(`${source.name}: no source makes ${leftOver.join(', ')}: remove dist and build again`);
  }
  await runQuietly('pnpm', ['pack', '--pack-destination', destination], { cwd: source.folder });
  return join(destination, `${source.name.replace('@', '').replace('/', '-')}-${source.version}.tgz`);
}

/** Declarations that an earlier build has left; the JavaScript is made anew each time. */
function outputsWithoutSource(folder: string): string[] {
  return globSync('dist/**/*.d.ts', { cwd: folder }).filter((output) => {
    const base = join(folder, 'src', output.slice('dist/'.length, -'.d.ts'.length));
    return !existsSync(`${base}.ts`) && !existsSync(`${base}.tsx`);
  });
}
