import { hash } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, rmSync, type Stats, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** What V8 compiled of a file in an earlier process. */
export interface CompiledCode {
  readonly code: Buffer;
  readonly writtenMs: number;
}

/** What V8 compiled of a file in this one. */
export interface CompiledFile {
  readonly file: string;
  readonly stats: Stats;
  readonly code: Buffer;
}

/**
 * Code that V8 compiled, in a folder for this Node and its flags, which nobody else may write: it is run as it is. Costs
 * no more than time when it cannot be read or written.
 */
export interface CodeCache {
  /** Undefined when there is none of just this file, or it is not whole: V8 would crash on it rather than notice. */
  read(file: string, stats: Stats): CompiledCode | undefined;
  /** Also removes what has been of no use to anybody for a month: of files that are gone since an upgrade. */
  write(compiled: readonly CompiledFile[]): void;
}

const suffix = '.code';
const digestBytes = 20;
const uselessAfterMs = 30 * 24 * 60 * 60 * 1000;

/** @param folder exists. */
export function openCodeCache(folder: string): CodeCache {
  return {
    read(file, stats) {
      const entry = join(folder, nameOf(file, stats));
      try {
        const content = readFileSync(entry);
        const code = content.subarray(0, -digestBytes);
        const isWhole = content.length > digestBytes && digestOf(code).equals(content.subarray(-digestBytes));
        return isWhole ? { code, writtenMs: statSync(entry).mtimeMs } : undefined;
      } catch {
        // There is none, or another process removes it right now.
        return undefined;
      }
    },

    write(compiled) {
      for (const { file, stats, code } of compiled) writeEntry(join(folder, nameOf(file, stats)), code);
      removeUseless(folder);
    },
  };
}

/**
 * Another content has another name. A file's name says it, by the bundler's hash of it; but for one that was patched where
 * it lies, of which the system tells the time.
 */
function nameOf(file: string, { size, ctimeMs }: Stats): string {
  return `${basename(file)}-${size.toString(36)}-${Math.trunc(ctimeMs).toString(36)}${suffix}`;
}

function digestOf(code: Buffer): Buffer {
  return hash('sha1', code, 'buffer');
}

function writeEntry(entry: string, code: Buffer): void {
  const unfinished = `${entry}.${process.pid}`;
  try {
    writeFileSync(unfinished, Buffer.concat([code, digestOf(code)]), { mode: 0o600 });
    renameSync(unfinished, entry);
  } catch {
    rmSync(unfinished, { force: true });
  }
}

function removeUseless(folder: string): void {
  const now = Date.now();
  try {
    for (const name of readdirSync(folder)) {
      const entry = join(folder, name);
      if (name.includes(suffix) && now - statSync(entry).mtimeMs > uselessAfterMs) rmSync(entry, { force: true });
    }
  } catch {
    // Another process removes the same, or the folder is gone.
  }
}
