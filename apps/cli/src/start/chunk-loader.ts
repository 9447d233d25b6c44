import { fstatSync, openSync, closeSync, readFileSync, type Stats } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';
import type { CodeCache } from './code-cache.ts';

interface Chunk {
  exports: unknown;
}

type Require = (name: string) => unknown;

interface Loaded {
  readonly file: string;
  readonly stats: Stats;
  readonly script: Script;
}

/** What CommonJS gives a module, and an `import()`: Node lets a script do that itself only with a warning. */
const opening = '(function (exports, require, module, __filename, __dirname, __importModule) {';
const closing = '\n})';

/** Below this, reading the cache takes as long as compiling. */
const worthKeepingBytes = 4096;
/** What has been run by then is kept; later V8 begins to drop code that has not run for a while. */
const keepAfterMs = 10_000;
/** So often at most a process keeps what it ran although nothing was missing: other ways through the same files. */
const keepAgainAfterMs = 24 * 60 * 60 * 1000;

/**
 * Loads the bundle's files, which are CommonJS, and keeps what V8 compiled of them *while they ran*. Node's own compile
 * cache keeps what was compiled when a file was loaded, which is little of it: functions are compiled when first called,
 * two thousand of them in a short turn, and that took a third of a start.
 *
 * Whoever loads a file that nobody had loaded runs what nobody had run: then all that this process loaded is kept anew.
 */
export class ChunkLoader {
  readonly #chunks = new Map<string, Chunk>();
  readonly #loaded: Loaded[] = [];
  readonly #cache: CodeCache | undefined;
  #isDue = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(cache: CodeCache | undefined) {
    this.#cache = cache;
  }

  /** The exports of the file; those so far when it is being loaded, as in CommonJS. */
  load(file: string): unknown {
    const known = this.#chunks.get(file);
    if (known !== undefined) return known.exports;
    const chunk: Chunk = { exports: {} };
    this.#chunks.set(file, chunk);
    try {
      const run = this.#compile(file) as (...parameters: readonly unknown[]) => void;
      const folder = dirname(file);
      run(chunk.exports, this.#requireFrom(folder), chunk, file, folder, importModule);
    } catch (error) {
      this.#chunks.delete(file);
      throw error;
    }
    return chunk.exports;
  }

  /** Keeps what was compiled so far, if it is due. */
  keep(): void {
    clearTimeout(this.#timer);
    if (!this.#isDue || this.#cache === undefined) return;
    this.#isDue = false;
    this.#cache.write(
      this.#loaded.map(({ file, stats, script }) => ({ file, stats, code: script.createCachedData() })),
    );
  }

  #requireFrom(folder: string): Require {
    return (name) => {
      if (name.startsWith('./') || name.startsWith('../')) return this.load(join(folder, name));
      return process.getBuiltinModule(name) ?? createRequire(join(folder, 'package.json'))(name);
    };
  }

  #compile(file: string): unknown {
    const { source, stats } = read(file);
    const cached = stats.size < worthKeepingBytes ? undefined : this.#cache?.read(file, stats);
    const script = new Script(opening + source + closing, {
      filename: file,
      columnOffset: -opening.length,
      cachedData: cached?.code,
    });
    if (stats.size >= worthKeepingBytes) {
      this.#loaded.push({ file, stats, script });
      const isMissing = cached === undefined || script.cachedDataRejected === true;
      if (isMissing || Date.now() - cached.writtenMs > keepAgainAfterMs) this.#keepSoon();
    }
    return script.runInThisContext();
  }

  #keepSoon(): void {
    this.#isDue = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.keep(), keepAfterMs).unref();
  }
}

function importModule(specifier: string): Promise<unknown> {
  return import(specifier);
}

/** The bundle is ASCII, which is read faster than any other text. */
function read(file: string): { source: string; stats: Stats } {
  const descriptor = openSync(file, 'r');
  try {
    return { stats: fstatSync(descriptor), source: readFileSync(descriptor, 'latin1') };
  } finally {
    closeSync(descriptor);
  }
}
