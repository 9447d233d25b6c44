import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { builtinImports } from './builtin-imports.ts';

// It runs the bundler.
vi.setConfig({ testTimeout: 60_000 });

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rondo-builtins-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Three forms of an import, and text that only looks like one. */
const source = `import path, { join as put } from 'node:path';
import * as os from 'node:os';
import 'node:fs';
export const text = \`
import assert from 'node:assert';
\`;
export const found = [path.sep, put('a', 'b'), typeof os.hostname];
`;

test('every form of an import is read from the process, and nothing that only looks like one', async () => {
  writeFileSync(join(folder, 'main.js'), source);
  const bundle = await rolldown({
    input: join(folder, 'main.js'),
    platform: 'node',
    plugins: [builtinImports()],
  });
  await bundle.write({ file: join(folder, 'dist', 'main.mjs'), format: 'esm', minify: true });
  await bundle.close();
  const file = join(folder, 'dist', 'main.mjs');
  expect(readFileSync(file, 'utf8').replace("import assert from 'node:assert';", '')).not.toMatch(/\bimport\b/);
  const built: unknown = await import(pathToFileURL(file).href);
  expect(built).toMatchObject({
    text: "\nimport assert from 'node:assert';\n",
    found: ['/', 'a/b', 'function'],
  });
});
