import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { loaderImports } from './loader-imports.ts';

// It runs the bundler.
vi.setConfig({ testTimeout: 60_000 });

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rondo-loader-imports-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const source = `export const text = "import('a text')";
export const load = async (name) => [await import(name), await import('outside')];
`;

test('imports are asked of the loader, but in a file that Node loads', async () => {
  for (const name of ['main', 'start']) writeFileSync(join(folder, `${name}.js`), source);
  const bundle = await rolldown({
    input: { main: join(folder, 'main.js'), start: join(folder, 'start.js') },
    platform: 'node',
    external: ['outside'],
    plugins: [loaderImports(['start'])],
  });
  await bundle.write({ dir: join(folder, 'dist'), format: 'cjs', minify: true });
  await bundle.close();
  const built = (name: string) =>
    readFileSync(join(folder, 'dist', `${name}.js`), 'utf8').replace("import('a text')", '');
  expect(built('main').match(/\b__importModule\(/g)).toHaveLength(2);
  expect(built('main')).not.toMatch(/\bimport\(/);
  expect(built('start').match(/\bimport\(/g)).toHaveLength(2);
});
