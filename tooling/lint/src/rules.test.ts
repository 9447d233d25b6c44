import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..', '..');

interface Diagnostic {
  code: string;
  filename: string;
}

/** The rules that our configuration raises on a small package, as `rule file`, sorted. */
function raised(sources: Record<string, string>): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'rondo-lint-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  copyFileSync(join(root, '.oxlintrc.json'), join(folder, '.oxlintrc.json'));
  const compilerOptions = {
    strict: true,
    module: 'nodenext',
    target: 'es2024',
    allowImportingTsExtensions: true,
    noEmit: true,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['packages'] }));
  for (const [path, text] of Object.entries(sources)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const { stdout, stderr } = spawnSync(join(root, 'node_modules', '.bin', 'oxlint'), ['--format=json'], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (!stdout.startsWith('{')) throw new Error(stdout + stderr);
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: Diagnostic[] };
  return diagnostics.map(({ code, filename }) => `${code} ${filename.split('/').at(-1)}`).sort();
}

test('the rules that the house relies on are raised', () => {
  const found = raised({
    'packages/sample/src/open-door.ts': "import { open } from '@rondo/runtime/dist/door.js';\nopen();\n",
    'packages/sample/src/door.ts': [
      "import { Door } from './door-type.ts';",
      'export async function close(): Promise<void> {}',
      "export function act(kind: 'open' | 'close', door: Door): void {",
      '  close();',
      '  console.log(door);',
      "  switch (kind) { case 'open': return; }",
      '}',
    ].join('\n'),
    'packages/sample/src/door-type.ts': 'export interface Door { handle: any }\n',
    'packages/sample/src/BackDoor.ts': 'export const locked = true;\n',
  });
  expect(found).toEqual([
    'eslint(no-console) door.ts',
    'eslint(no-restricted-imports) open-door.ts',
    'typescript(consistent-type-imports) door.ts',
    'typescript(no-explicit-any) door-type.ts',
    'typescript(no-floating-promises) door.ts',
    'typescript(switch-exhaustiveness-check) door.ts',
    'unicorn(filename-case) BackDoor.ts',
  ]);
}, 30_000);

test('a clean file raises nothing', () => {
  expect(raised({ 'packages/sample/src/window.ts': 'export const open = 1;\n' })).toEqual([]);
}, 30_000);
