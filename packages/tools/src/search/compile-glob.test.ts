import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryToolContext } from '@rondo/runtime/testing';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { anyGlob, compileGlob } from './compile-glob.ts';
import { GlobError } from './glob-syntax.ts';
import { findRipgrep } from './find-ripgrep.ts';

// It starts programs, on machines that may be busy.
vi.setConfig({ testTimeout: 30_000 });

const paths = [
  'a.ts',
  'b.tsx',
  '.env',
  'README',
  'src/a.ts',
  'src/b.js',
  'src/deep/a.ts',
  'src/deep/er/c.test.ts',
  'src/.hidden/d.ts',
  'lib/[x].ts',
  'lib/{y}.ts',
  'lib/a b.ts',
  'lib/é.ts',
  'lib/aab.ts',
  'lib/src/a.ts',
] as const;

describe('a glob', () => {
  it.each<[string, readonly string[]]>([
    ['*.ts', ['a.ts']],
    ['*', ['a.ts', 'b.tsx', '.env', 'README']],
    ['**', paths],
    ['**/*', paths],
    ['**/*.ts', paths.filter((path) => path.endsWith('.ts'))],
    ['src/**', paths.filter((path) => path.startsWith('src/'))],
    ['src/**/a.ts', ['src/a.ts', 'src/deep/a.ts']],
    ['**/src/**/a.ts', ['src/a.ts', 'src/deep/a.ts', 'lib/src/a.ts']],
    ['**/deep/**/*.test.*', ['src/deep/er/c.test.ts']],
    ['./src/./*.ts', ['src/a.ts']],
    ['*.{ts,tsx}', ['a.ts', 'b.tsx']],
    ['{src,lib}/*.{ts,js}', ['src/a.ts', 'src/b.js', ...paths.filter((path) => /^lib\/[^/]+$/.test(path))]],
    ['{src/{a,b},README}*', ['README', 'src/a.ts', 'src/b.js']],
    ['?.ts', ['a.ts']],
    ['lib/?.ts', ['lib/é.ts']],
    ['lib/[a-zé].ts', ['lib/é.ts']],
    ['lib/[!a-z]*.ts', ['lib/[x].ts', 'lib/{y}.ts', 'lib/é.ts']],
    ['[ab].*', ['a.ts', 'b.tsx']],
    ['lib/[[]x].ts', ['lib/[x].ts']],
    ['lib/\\[x\\].ts', ['lib/[x].ts']],
    ['lib/\\{y\\}.ts', ['lib/{y}.ts']],
    ['lib/a*b.ts', ['lib/a b.ts', 'lib/aab.ts']],
    ['lib/*a*b*', ['lib/a b.ts', 'lib/aab.ts']],
    ['src[/]a.ts', []],
    ['nothing', []],
  ])('%s', (glob, expected) => {
    const compiled = compileGlob(glob);
    expect(paths.filter((path) => compiled.matches(path))).toEqual(expected);
  });

  it.each([
    ['[ab', 'the [ at its character 1 is not closed'],
    ['a{b', 'the { at its character 2 is not closed'],
    ['[z-a]', 'runs backwards'],
    ['a\\', 'nothing after its last \\'],
    ['{a,b}'.repeat(12), 'more than 1000 patterns'],
  ])('%s is refused with what is wrong', (glob, message) => {
    expect(() => compileGlob(glob)).toThrow(GlobError);
    expect(() => compileGlob(glob)).toThrow(message);
  });

  it('tells what names can match, and how deep', () => {
    expect(compileGlob('src/**/*.{ts,tsx}')).toMatchObject({ names: ['*.ts', '*.tsx'], depth: undefined });
    expect(compileGlob('a/*/[bc]d?')).toMatchObject({ names: ['*d*'], depth: 3 });
    expect(compileGlob('{a,b/c}')).toMatchObject({ names: ['a', 'c'], depth: 2 });
    expect(compileGlob('a/*').names).toBeUndefined();
    expect(compileGlob('a/**').names).toBeUndefined();
    expect(anyGlob([compileGlob('*.ts'), compileGlob('b/*.js')])).toMatchObject({ names: ['*.ts', '*.js'], depth: 2 });
    expect(anyGlob([compileGlob('*.ts'), compileGlob('**')])).toMatchObject({ names: undefined, depth: undefined });
  });

  it('is not slow on what nearly matches', () => {
    const name = 'a'.repeat(200);
    const glob = compileGlob(`**/${'*a'.repeat(30)}*b/**/${'*a'.repeat(30)}*b`);
    // Tried again and again, this would outlast the universe.
    expect(glob.matches(Array.from({ length: 20 }, () => name).join('/'))).toBe(false);
  });

  // But for `[!a]`, which in ripgrep's globs may be a slash.
  it('means what ripgrep means by it', async () => {
    await using tool = await temporaryToolContext();
    const names = ['a', 'b', 'ab', '.a', 'a.b'];
    const tree = names.flatMap((one) => names.flatMap((two) => [`${one}/d/${two}`, `d/${one}/d/${two}`, `d/d-${two}`]));
    for (const path of tree) {
      mkdirSync(dirname(join(tool.folder, path)), { recursive: true });
      writeFileSync(join(tool.folder, path), '');
    }
    const files = [...new Set(tree)].sort();
    const ripgrep = await findRipgrep(undefined);
    const name = fc
      .array(fc.constantFrom('a', 'b', 'd', '.', '*', '?', '[ab]', '{a,b}', '{d,a*}'), {
        minLength: 1,
        maxLength: 4,
      })
      .map((parts) => parts.join(''))
      .filter((each) => !/\*\*/.test(each) && each !== '.' && each !== '..');
    const segment = fc.oneof({ weight: 3, arbitrary: name }, { weight: 1, arbitrary: fc.constant('**') });
    const glob = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'));
    fc.assert(
      fc.property(glob, (pattern) => {
        const compiled = compileGlob(pattern);
        const args = ['--no-config', '--files', '--hidden', '--null', `--glob=/${pattern}`];
        let listed = '';
        try {
          listed = execFileSync(ripgrep, args, { cwd: tool.folder, encoding: 'utf8' });
        } catch {
          // It exits with 1 where nothing matches.
        }
        expect(files.filter((path) => compiled.matches(path))).toEqual(listed.split('\0').slice(0, -1).sort());
      }),
      { numRuns: 60 },
    );
  });
});
