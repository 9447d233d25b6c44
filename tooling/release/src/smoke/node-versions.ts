import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { arch, platform } from 'node:os';
import { dirname, join } from 'node:path';
import { runQuietly } from '../run-quietly.ts';
import { outsideTheHouse } from './consumer.ts';

export interface NodeVersion {
  name: string;
  /** Holds `node`. */
  folder: string;
}

/** The Node that runs this: the one the lockfile pins. */
export function pinnedNode(): NodeVersion {
  return { name: process.version, folder: dirname(process.execPath) };
}

/** A Node of another version, from the package that carries its binary. Never skipped: without it the check fails. */
export async function fetchNode(version: string, folder: string): Promise<NodeVersion> {
  const carrier = `node-${platform()}-${arch()}`;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  await runQuietly('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', `${carrier}@${version}`], {
    cwd: folder,
    env: outsideTheHouse(),
  }).catch((cause: unknown) => {
    throw new Error(`the packed packages must be tried on Node ${version}, but ${carrier}@${version} cannot be had`, {
      cause,
    });
  });
  const binaries = join(folder, 'node_modules', carrier, 'bin');
  if (!existsSync(join(binaries, 'node'))) throw new Error(`${carrier}@${version} carries no bin/node`);
  return { name: `v${version}`, folder: binaries };
}
