import { runQuietly } from '../run-quietly.ts';
import type { PublicPackage } from './public-packages.ts';

/** What is published resolves: publint on every tarball, are-the-types-wrong on those that have types. */
export async function lintTarball(source: PublicPackage, tarball: string): Promise<void> {
  await runQuietly('publint', [tarball, '--strict']);
  if (!source.isCommand) await runQuietly('attw', [tarball, '--profile', 'esm-only', '--no-color']);
}
