import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seccompFilter, type SeccompOptions } from './seccomp-filter.ts';

const filters = new Map<string, number>();

/** A filter, open at its beginning for one bubblewrap to read; undefined where there is none for this architecture. */
export function openFilter(
  options: SeccompOptions,
): { readonly descriptor: number; readonly close: () => void } | undefined {
  const key = JSON.stringify(options);
  let file = filters.get(key);
  if (file === undefined) {
    const program = seccompFilter(options);
    if (program === undefined) return undefined;
    file = openNameless(program, 'r');
    filters.set(key, file);
  }
  // Opened anew, since whoever reads the same opening moves its place in it.
  const descriptor = openSync(`/proc/self/fd/${file}`, 'r');
  return { descriptor, close: () => closeSync(descriptor) };
}

/** A file in which bubblewrap writes how far it came. */
export interface StatusFile {
  readonly descriptor: number;
  /** True once it came to run the command, and that has ended. */
  hasRun(): boolean;
  close(): void;
}

export function openStatus(): StatusFile {
  const descriptor = openNameless('', 'r+');
  return {
    descriptor,
    hasRun: () => readFileSync(`/proc/self/fd/${descriptor}`, 'utf8').includes('"exit-code"'),
    close: () => closeSync(descriptor),
  };
}

function openNameless(content: Buffer | string, flags: 'r' | 'r+'): number {
  const path = join(tmpdir(), `rondo-sandbox-file-${randomUUID()}`);
  writeFileSync(path, content, { mode: 0o600, flag: 'wx' });
  try {
    return openSync(path, flags);
  } finally {
    rmSync(path, { force: true });
  }
}
