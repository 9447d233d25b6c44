import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ChunkLoader } from './chunk-loader.ts';
import type { CodeCache, CompiledCode, CompiledFile } from './code-cache.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rondo-chunks-'));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

function write(name: string, source: string): string {
  const file = join(folder, name);
  writeFileSync(file, source);
  return file;
}

/** Long enough that its code is kept. `work` is compiled when it is called, unlike all around it. */
function chunk(body: string): string {
  const statements = Array.from({ length: 200 }, (_, index) => `  value = (value * ${index + 3} + ${index}) % 65521;`);
  return `function work(value) {\n${statements.join('\n')}\n  return value;\n}\n${body}`;
}

class MemoryCache implements CodeCache {
  readonly entries = new Map<string, CompiledCode>();
  readonly written: string[] = [];

  read(file: string): CompiledCode | undefined {
    return this.entries.get(file);
  }

  write(compiled: readonly CompiledFile[]): void {
    for (const { file, code } of compiled) {
      this.entries.set(file, { code, writtenMs: Date.now() });
      this.written.push(basename(file));
    }
  }

  takeWritten(): string[] {
    return this.written.splice(0).sort();
  }
}

test('a chunk gets other chunks, modules of Node, packages, and its own place', () => {
  mkdirSync(join(folder, 'chunks'));
  mkdirSync(join(folder, 'node_modules', 'side'), { recursive: true });
  write('node_modules/side/index.js', 'module.exports = "a package";');
  write('chunks/other.js', 'exports.name = "other"; exports.up = require("../up.js").name;');
  write('up.js', 'exports.name = "up";');
  const main = write(
    'main.js',
    `const { join } = require('node:path');
     module.exports = [require('./chunks/other.js'), join('a', 'b'), require('path').join === join, require('side'), __filename, __dirname];`,
  );
  const loader = new ChunkLoader(undefined);
  expect(loader.load(main)).toEqual([{ name: 'other', up: 'up' }, join('a', 'b'), true, 'a package', main, folder]);
});

test('a chunk runs once, and a cycle sees what is exported so far', () => {
  write('b.js', 'const a = require("./a.js"); exports.seen = Object.keys(a); exports.a = () => a.late;');
  const file = write('a.js', 'exports.early = 1; const b = require("./b.js"); exports.b = b; exports.late = 2;');
  const loader = new ChunkLoader(undefined);
  const a = loader.load(file) as { b: { seen: string[]; a(): number } };
  expect(a.b.seen).toEqual(['early']);
  expect(a.b.a()).toBe(2);
  expect(loader.load(file)).toBe(a);
});

test('a chunk that throws says where, and may be loaded again', () => {
  const file = write('a.js', "\n  if (!globalThis.rondoTestPasses) throw new Error('not yet');\nexports.done = true;");
  const loader = new ChunkLoader(undefined);
  const thrown = (() => {
    try {
      return loader.load(file);
    } catch (error) {
      return error as Error;
    }
  })() as Error;
  expect(thrown.message).toBe('not yet');
  expect(thrown.stack).toContain(`${file}:2:`);
  vi.stubGlobal('rondoTestPasses', true);
  expect(loader.load(file)).toEqual({ done: true });
  vi.unstubAllGlobals();
});

test('a place in the first line is the place in the file', () => {
  const file = write('a.js', "throw new Error('at once');");
  expect(() => new ChunkLoader(undefined).load(file)).toThrow(
    expect.objectContaining({ stack: expect.stringContaining(`${file}:1:7`) }),
  );
});

test('an import of a module is Node’s own', async () => {
  const module = write('module.mjs', 'export const answer = 42;');
  const file = write('a.js', 'exports.load = (name) => __importModule(name);');
  const { load } = new ChunkLoader(undefined).load(file) as { load(name: string): Promise<unknown> };
  expect(await load(module)).toMatchObject({ answer: 42 });
  await expect(load('no-such-package-at-all')).rejects.toThrow('no-such-package-at-all');
});

test('what is kept is what was compiled while the chunk ran', () => {
  const file = write('a.js', chunk('exports.work = work;'));
  const sizes = [false, true].map((runs) => {
    const cache = new MemoryCache();
    const loader = new ChunkLoader(cache);
    const { work } = loader.load(file) as { work(value: number): number };
    if (runs) work(7);
    loader.keep();
    return cache.entries.get(file)?.code.length ?? 0;
  });
  expect(sizes[0]).toBeGreaterThan(0);
  expect(sizes[1]).toBeGreaterThan((sizes[0] ?? 0) + 1000);
});

test('a chunk whose code is there runs by it, and nothing is kept again', () => {
  const file = write('a.js', chunk('exports.work = work;'));
  const cache = new MemoryCache();
  const first = new ChunkLoader(cache);
  const { work } = first.load(file) as { work(value: number): number };
  const result = work(7);
  first.keep();
  expect(cache.takeWritten()).toEqual(['a.js']);

  const second = new ChunkLoader(cache);
  expect((second.load(file) as { work(value: number): number }).work(7)).toBe(result);
  second.keep();
  vi.advanceTimersByTime(60_000);
  expect(cache.takeWritten()).toEqual([]);
});

test('a process that loads what nobody loaded keeps all that it ran', () => {
  write('b.js', chunk('exports.work = work;'));
  const file = write('a.js', chunk('exports.more = () => require("./b.js");'));
  const cache = new MemoryCache();
  const first = new ChunkLoader(cache);
  first.load(file);
  first.keep();
  expect(cache.takeWritten()).toEqual(['a.js']);

  const second = new ChunkLoader(cache);
  (second.load(file) as { more(): unknown }).more();
  second.keep();
  expect(cache.takeWritten()).toEqual(['a.js', 'b.js']);
});

test('code that V8 refuses is made anew', () => {
  const file = write('a.js', chunk('exports.answer = 42;'));
  const cache = new MemoryCache();
  cache.entries.set(file, { code: Buffer.alloc(1000, 7), writtenMs: Date.now() });
  const loader = new ChunkLoader(cache);
  expect(loader.load(file)).toEqual({ answer: 42 });
  loader.keep();
  expect(cache.takeWritten()).toEqual(['a.js']);
});

test('other ways through the same chunks are kept once a day', () => {
  const file = write('a.js', chunk('exports.work = work;'));
  const cache = new MemoryCache();
  const first = new ChunkLoader(cache);
  first.load(file);
  first.keep();
  const size = cache.entries.get(file)?.code.length ?? 0;
  cache.takeWritten();

  const run = () => {
    const loader = new ChunkLoader(cache);
    (loader.load(file) as { work(value: number): number }).work(7);
    loader.keep();
  };
  vi.setSystemTime(Date.now() + 23 * 60 * 60 * 1000);
  run();
  expect(cache.takeWritten()).toEqual([]);
  vi.setSystemTime(Date.now() + 2 * 60 * 60 * 1000);
  run();
  expect(cache.takeWritten()).toEqual(['a.js']);
  expect(cache.entries.get(file)?.code.length).toBeGreaterThan(size + 1000);
});

test('a process that goes on has its code kept ten seconds after the last new chunk', () => {
  write('b.js', chunk('exports.work = work;'));
  const file = write('a.js', chunk('exports.more = () => require("./b.js");'));
  const cache = new MemoryCache();
  const loader = new ChunkLoader(cache);
  const { more } = loader.load(file) as { more(): unknown };
  vi.advanceTimersByTime(9_000);
  more();
  vi.advanceTimersByTime(9_000);
  expect(cache.takeWritten()).toEqual([]);
  vi.advanceTimersByTime(1_000);
  expect(cache.takeWritten()).toEqual(['a.js', 'b.js']);
  loader.keep();
  expect(cache.takeWritten()).toEqual([]);
});
