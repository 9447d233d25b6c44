import { mkdir, mkdtemp, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A project as small as a project can be: one function, one test of it that fails. */
const files: Readonly<Record<string, string>> = {
  'package.json': `{
  "name": "corner-shop",
  "private": true,
  "type": "module",
  "scripts": { "test": "node --test" }
}
`,
  'src/cart.js': `/** The price of a cart in cents. Ten or more of a kind are ten per cent off. */
export function total(items) {
  let sum = 0;
  for (const { price, quantity } of items) {
    const factor = quantity > 10 ? 0.9 : 1;
    sum += price * quantity * factor;
  }
  return Math.round(sum);
}
`,
  'test/cart.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { total } from '../src/cart.js';

test('an empty cart costs nothing', () => {
  assert.equal(total([]), 0);
});

test('nine of a kind cost nine times the price', () => {
  assert.equal(total([{ price: 120, quantity: 9 }]), 1080);
});

test('ten of a kind are ten per cent off', () => {
  assert.equal(total([{ price: 120, quantity: 10 }]), 1080);
});
`,
};

/** Writes the sample project into a new temporary folder and returns the folder. */
export async function copySampleProject(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'rondo-demo-')));
  for (const [name, text] of Object.entries(files)) {
    const file = join(folder, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return folder;
}
