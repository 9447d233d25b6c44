import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';

const source = join(import.meta.dirname, '..');

/** The value is imported from the package, by whatever name; a type of it is not the server. */
const importsServer = /import\s*\{[^}]*\bstartModelServer\b[^}]*\}\s*from '@rondo\/providers\/testing'/;

function filesWithServer(): Set<string> {
  const files = readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => importsServer.test(readFileSync(file, 'utf8')))
    .map((file) => relative(source, file));
  return new Set(files);
}

test('issue 3, accept 5: only files that the README names, each with its reason, talk to the model server', () => {
  const readme = readFileSync(join(source, '..', 'README.md'), 'utf8');
  const rows = [...readme.matchAll(/^\| `([^`]+)` \| ([^|]*\S) \|$/gm)];
  expect(rows.length).toBeGreaterThan(0);
  // One that is missing here can say what the model does in a script; one that is too many does so by now.
  expect(filesWithServer()).toEqual(new Set(rows.map(([, file]) => file)));
});
