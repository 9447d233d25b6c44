import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { entryChunks, type Load } from './entry-chunks.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rondo-chunks-'));
  mkdirSync(join(folder, 'src'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const place = (name: string): string => join(folder, 'src', `${name}.js`);

/** Two entries that share a part, each with a part of its own, and two lazy parts that share what one entry has too. */
const sources: Readonly<Record<string, string>> = {
  one: `export { own } from './own-of-one.js'; export { both } from './both.js'; export const late = () => import('./late.js');`,
  two: `export { both } from './both.js'; export { rest } from './own-of-two.js'; export const later = () => import('./later.js');`,
  'own-of-one': `import { deep } from './deep.js'; export const own = () => deep + 1;`,
  'own-of-two': `export const rest = () => 'two';`,
  both: `export const both = () => 'both';`,
  deep: `export const deep = Math.random();`,
  late: `export { deep } from './deep.js'; export { lazy } from './lazy.js';`,
  later: `export { deep } from './deep.js'; export { lazy } from './lazy.js';`,
  lazy: `export const lazy = Math.random();`,
};

/** By file, what it holds and what it loads at once. */
async function bundled(loads: readonly Load[]) {
  for (const [name, text] of Object.entries(sources)) writeFileSync(place(name), text);
  const entries = { one: place('one'), two: place('two') };
  const bundle = await rolldown({ input: entries, preserveEntrySignatures: 'allow-extension' });
  const { output } = await bundle.generate({
    chunkFileNames: '[name].js',
    codeSplitting: { includeDependenciesRecursively: false, groups: [entryChunks(loads, Object.values(entries))] },
  });
  await bundle.close();
  const chunks = output.filter((file) => file.type === 'chunk');
  const nameOf = (id: string): string => id.replace(/^.*\/|\.js$/g, '');
  return new Map(
    chunks.map(({ fileName, moduleIds, imports }) => [
      nameOf(fileName),
      { holds: moduleIds.map(nameOf).sort(), loads: imports.map(nameOf).sort() },
    ]),
  );
}

test('what the same entries load is one file, and no entry loads what it has not asked for', async () => {
  const chunks = await bundled([]);
  expect(chunks.get('shared-0')?.holds).toEqual(['deep', 'own-of-one']);
  expect(chunks.get('shared-1')?.holds).toEqual(['own-of-two']);
  expect(chunks.get('shared-0-1')?.holds).toEqual(['both']);
  expect(chunks.get('one')?.loads).toEqual(['shared-0', 'shared-0-1']);
  expect(chunks.get('two')?.loads).toEqual(['shared-0-1', 'shared-1']);
  expect(chunks.get('late')?.loads).toContain('shared-0');
});

test('a load takes all that it reaches and no earlier one has taken', async () => {
  const chunks = await bundled([
    { name: 'start', modules: [place('one')] },
    { name: 'then', modules: [place('late')] },
  ]);
  expect(chunks.get('start')?.holds).toEqual(['both', 'deep', 'own-of-one']);
  expect(chunks.get('one')?.loads).toEqual(['start']);
  expect(chunks.get('two')?.loads).toEqual(['shared-1', 'start']);
  expect([...chunks.values()].find(({ holds }) => holds.includes('lazy'))?.holds).toEqual(
    expect.arrayContaining(['late', 'lazy']),
  );
});
