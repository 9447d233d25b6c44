import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { temporaryToolContext } from '@rondo/runtime/testing';
import { expect, it } from 'vitest';
import { findRipgrep, ripgrepOn } from './find-ripgrep.ts';

it('is the one that came with the package', async () => {
  const program = await findRipgrep('/nowhere');
  expect(execFileSync(program, ['--version'], { encoding: 'utf8' })).toMatch(/^ripgrep \d+\./);
});

it('else the first on the search path that is a program, never one of the session folder', async () => {
  await using tool = await temporaryToolContext();
  const folder = (name: string) => join(tool.folder, name);
  for (const name of ['folder', 'data', 'first', 'second']) mkdirSync(folder(name));
  mkdirSync(join(folder('folder'), 'rg'));
  writeFileSync(join(folder('data'), 'rg'), '');
  for (const name of ['first', 'second']) writeFileSync(join(folder(name), 'rg'), '', { mode: 0o755 });
  const path = ['.', 'first', '', folder('folder'), folder('data'), folder('first'), folder('second')].join(delimiter);
  expect(ripgrepOn(path)).toBe(join(folder('first'), 'rg'));
  expect(ripgrepOn(['first', folder('data')].join(delimiter))).toBeUndefined();
  expect(ripgrepOn(undefined)).toBeUndefined();
});
