import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { isOwnerGone, ownerOfProcess } from './command-marker.ts';

let recorded = false;

/**
 * Writes down that this process runs commands, until it ends. Found by a later one, when this one died without ending
 * what it ran. Without a place to write it to, leftovers are found only by whoever looks for them anyway.
 */
export function recordRuntime(): void {
  if (recorded) return;
  recorded = true;
  const path = join(recordsFolder(), nameOf(ownerOfProcess()));
  try {
    mkdirSync(recordsFolder(), { recursive: true, mode: 0o700 });
    writeFileSync(path, '', { mode: 0o600 });
    process.once('exit', () => rmSync(path, { force: true }));
  } catch {
    // Nothing depends on it but the moment of the sweep.
  }
}

/** The names of runtimes that ran commands and died without ending them. Costs one look into a folder. */
export async function deadRuntimes(): Promise<string[]> {
  const names = await readdir(recordsFolder()).catch(() => []);
  return names.map((name) => name.replaceAll('-', ':')).filter(isOwnerGone);
}

export async function forgetRuntimes(owners: readonly string[]): Promise<void> {
  await Promise.all(
    owners.map((owner) => rm(join(recordsFolder(), nameOf(owner)), { force: true }).catch(() => undefined)),
  );
}

function nameOf(owner: string): string {
  return owner.replaceAll(':', '-');
}

/** One for each user of the machine, whatever home their runtimes have. */
function recordsFolder(): string {
  return join(tmpdir(), `rondo-running-${process.getuid?.() ?? userInfo().username}`);
}
