import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { PathFilter } from '@rondo/runtime';
import { temporaryToolContext, type TemporaryToolContext } from '@rondo/runtime/testing';
import { describe, expect, it, vi } from 'vitest';
import { glob } from './glob.ts';
import type { GlobInput } from './glob/glob-input.ts';
import type { GlobOutput } from './glob/run-glob.ts';

// It starts programs, on machines that may be busy.
vi.setConfig({ testTimeout: 30_000 });

/** Makes files, each a second older than the one before. */
function makeFiles(folder: string, paths: readonly (string | Buffer)[]): void {
  for (const [index, path] of paths.entries()) {
    const file = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path)]);
    mkdirSync(dirname(file.toString('latin1')), { recursive: true });
    writeFileSync(file, 'text');
    utimesSync(file, 1_700_000_000 - index, 1_700_000_000 - index);
  }
}

type Changes = Parameters<TemporaryToolContext['context']>[0];

async function find(tool: TemporaryToolContext, input: GlobInput, changes?: Changes): Promise<GlobOutput> {
  const result = await glob.run(input, tool.context(changes));
  return result.structured as unknown as GlobOutput;
}

const found = async (tool: TemporaryToolContext, pattern: string, path?: string, changes?: Changes) =>
  (await find(tool, { pattern, ...(path === undefined ? {} : { path }) }, changes)).filenames;

describe('Glob', () => {
  it('gives the newest first, and of the same age by path', async () => {
    await using tool = await temporaryToolContext();
    makeFiles(tool.folder, ['src/new.ts', 'old.ts', 'src/oldest.ts', 'other.js']);
    for (const same of ['b/same.ts', 'a/b/same.ts', 'a/same.ts', 'a-b/same.ts']) {
      makeFiles(tool.folder, [same]);
      utimesSync(join(tool.folder, same), 1_600_000_000, 1_600_000_000);
    }
    const result = await glob.run({ pattern: '**/*.ts' }, tool.context());
    const filenames = ['src/new.ts', 'old.ts', 'src/oldest.ts', 'a/b/same.ts', 'a/same.ts', 'a-b/same.ts', 'b/same.ts'];
    expect(result.content).toBe(filenames.join('\n'));
    expect(result.structured).toEqual({
      durationMs: expect.any(Number) as number,
      numFiles: 7,
      filenames,
      truncated: false,
    });
  });

  it.each<[GlobInput, readonly string[]]>([
    [{ pattern: '*.ts' }, ['a.ts']],
    [{ pattern: 'src/*.ts' }, ['src/b.ts']],
    [{ pattern: 'src/**/*.ts' }, ['src/b.ts', 'src/deep/c.ts']],
    [{ pattern: './src/deep/c.ts' }, ['src/deep/c.ts']],
    [{ pattern: 'src/' }, ['src/b.ts', 'src/deep/c.ts', 'src/deep/d.js']],
    [{ pattern: '**/deep/*.{ts,js}' }, ['src/deep/c.ts', 'src/deep/d.js']],
    [{ pattern: '*.ts', path: 'src' }, ['src/b.ts']],
    [{ pattern: 'deep/*', path: 'src/' }, ['src/deep/c.ts', 'src/deep/d.js']],
    [{ pattern: '*.ts', path: '' }, ['a.ts']],
    [{ pattern: 'nowhere/*.ts' }, []],
    [{ pattern: 'a.ts/*.ts' }, []],
  ])('%o', async (input, expected) => {
    await using tool = await temporaryToolContext();
    makeFiles(tool.folder, ['a.ts', 'src/b.ts', 'src/deep/c.ts', 'src/deep/d.js']);
    expect((await find(tool, input)).filenames).toEqual(expected);
    const { folder } = tool;
    const whole = `${folder}/${input.path ?? ''}/${input.pattern}`;
    expect((await find(tool, { pattern: whole })).filenames, 'written from the root of the disk').toEqual(expected);
  });

  it('names what is outside of the session folder by its whole path', async () => {
    await using tool = await temporaryToolContext();
    const other = join(dirname(tool.folder), 'other');
    makeFiles(other, ['a.ts']);
    for (const input of [{ pattern: '../other/*.ts' }, { pattern: '*.ts', path: other }]) {
      expect((await find(tool, input)).filenames).toEqual([join(other, 'a.ts')]);
      expect(glob.access(input)).toEqual({ reads: [input.path ?? './../other'] });
    }
    expect(glob.access({ pattern: 'src/a/**/b/*.ts', path: 'lib' })).toEqual({ reads: ['lib/src/a'] });
    expect(glob.access({ pattern: '/etc/*.conf', path: 'lib' })).toEqual({ reads: ['/etc'] });
    expect(glob.access({ pattern: '/*' })).toEqual({ reads: ['/'] });
  });

  it('gives the 100 newest of many, and says so', async () => {
    await using tool = await temporaryToolContext();
    const paths = Array.from({ length: 2500 }, (_, index) => `d${index % 7}/f${index}`);
    makeFiles(tool.folder, paths);
    const result = await glob.run({ pattern: '**' }, tool.context());
    expect(result.structured).toMatchObject({
      numFiles: 100,
      filenames: paths.slice(0, 100),
      truncated: true,
      totalFiles: 2500,
    });
    expect(result.content).toContain(
      `${paths[99]}\n\n[The 100 newest of 2500 files. Narrow pattern or path to see others.]`,
    );
  });

  it('finds hidden files, but not what ignore files name, nor what version control keeps', async () => {
    await using tool = await temporaryToolContext();
    const files = [
      '.env',
      '.github/ci.yml',
      'kept.log',
      'a.log',
      'node_modules/x.js',
      '.git/config',
      'sub/.hg/x',
      'sub/b.log',
    ];
    makeFiles(tool.folder, files);
    writeFileSync(join(tool.folder, '.gitignore'), 'node_modules/\n*.log\n!kept.log\n');
    const expected = ['.gitignore', '.env', '.github/ci.yml', 'kept.log'];
    expect(await found(tool, '**')).toEqual(expected);
    expect(await found(tool, '**/*.{log,js}')).toEqual(['kept.log']);
    expect(await found(tool, '*.log', 'sub'), 'the ignore file of the session folder').toEqual([]);
    expect(await found(tool, 'node_modules/**'), 'an ignored folder that is named').toEqual(['node_modules/x.js']);
    expect(await found(tool, '*', '.git')).toEqual(['.git/config']);
    makeFiles(tool.folder, ['.git/HEAD']);
    expect(await found(tool, '**'), 'in a repository').toEqual(expected);
  });

  it('outside of a repository takes no ignore file from above the session folder', async () => {
    await using tool = await temporaryToolContext();
    const home = dirname(tool.folder);
    makeFiles(home, ['work/a.ts', 'work/sub/b.ts', 'repository/.git/HEAD', 'repository/c.ts', 'repository/sub/d.ts']);
    writeFileSync(join(home, '.gitignore'), '*\n');
    expect(await found(tool, '**')).toEqual(['a.ts', 'sub/b.ts']);
    expect(await found(tool, '*', 'sub')).toEqual(['sub/b.ts']);
    const repository = join(home, 'repository');
    expect(await found(tool, '*', 'sub', { cwd: repository })).toEqual(['sub/d.ts']);
  });

  it('says "No files found", and what may be the reason', async () => {
    await using tool = await temporaryToolContext();
    makeFiles(tool.folder, ['dist/a.ts']);
    expect((await glob.run({ pattern: '*.ts' }, tool.context())).content).toBe('No files found');
    writeFileSync(join(tool.folder, '.gitignore'), 'dist\n');
    expect((await glob.run({ pattern: '**/*.ts' }, tool.context())).content).toBe(
      'No files found\n\n[What .gitignore leaves out is not searched, unless path names its folder.]',
    );
  });

  it('follows no links below the folder, so that none leads round in a circle or out', async () => {
    await using tool = await temporaryToolContext();
    const outside = join(dirname(tool.folder), 'outside');
    makeFiles(outside, ['o.ts']);
    makeFiles(tool.folder, ['real/a.ts']);
    symlinkSync('.', join(tool.folder, 'loop'));
    symlinkSync(outside, join(tool.folder, 'out'));
    symlinkSync('real/a.ts', join(tool.folder, 'link.ts'));
    symlinkSync('real', join(tool.folder, 'folder'));
    expect(await found(tool, '**/*.ts')).toEqual(['real/a.ts']);
    expect(await found(tool, 'folder/*.ts')).toEqual(['folder/a.ts']);
    const judgedPlaces = new Set([join(tool.folder, 'out')]);
    await expect(find(tool, { pattern: 'out/*' }, { judgedPlaces })).rejects.toThrow('leads elsewhere than when');
  });

  it('gives any name that a file can have', async () => {
    await using tool = await temporaryToolContext();
    const names = ['-dash', 'two\nlines', 'a:1:b', 'quote"\'', 'ü 你', '\u2028', ' blank ', '[x]{y}*'];
    makeFiles(
      tool.folder,
      names.map((name) => `in/${name}`),
    );
    const result = await glob.run({ pattern: '**' }, tool.context());
    expect(result.structured).toMatchObject({ filenames: names.map((name) => `in/${name}`) });
    expect(result.content).toContain('in/two\\nlines\n');
    expect(result.content).toContain('in/\\u2028\n');
    makeFiles(tool.folder, [Buffer.from([0x66, 0xff, 0xc3, 0xbc])]);
    expect(await found(tool, 'f*')).toEqual(['f\\xffü']);
  });

  it('shows nothing of what the rules forbid to see, not even how much of it there is', async () => {
    await using tool = await temporaryToolContext();
    makeFiles(tool.folder, [...Array.from({ length: 150 }, (_, index) => `secrets/${index}.ts`), 'a.ts', 'sub/key.ts']);
    const allowed: PathFilter = (path) => !path.startsWith(`${tool.folder}/secrets`) && !path.endsWith('/key.ts');
    const pathFilter = () => Promise.resolve(allowed);
    expect(await find(tool, { pattern: '**' }, { pathFilter })).toMatchObject({
      filenames: ['a.ts'],
      truncated: false,
    });
    const nothing = async (pattern: string) => (await glob.run({ pattern }, tool.context({ pathFilter }))).content;
    expect(await nothing('**/1*.ts')).toBe(await nothing('**/none'));
    expect(await nothing('**/none')).toContain('Permission rules keep some paths out of searches.');
    symlinkSync('.', join(tool.folder, 'here'));
    expect(await found(tool, '**', 'here', { pathFilter }), 'by another way').toEqual(['here/a.ts']);
    await expect(glob.run({ pattern: '*', path: 'secret' }, tool.context({ pathFilter }))).rejects.not.toThrow(
      'secrets',
    );
    await expect(glob.run({ pattern: '*', path: 'secret' }, tool.context())).rejects.toThrow('Did you mean');
  });

  it('says what is wrong', async () => {
    await using tool = await temporaryToolContext();
    makeFiles(tool.folder, ['source/a.ts']);
    const failing = (input: GlobInput) => expect(glob.run(input, tool.context())).rejects;
    await failing({ pattern: '*', path: 'sourc' }).toThrow(
      `${join(tool.folder, 'sourc')} does not exist. The session's folder is ${tool.folder}. Did you mean ${join(tool.folder, 'source')}?`,
    );
    await failing({ pattern: '*', path: 'source/a.ts' }).toThrow('a.ts is a file, and Glob looks in folders');
    await failing({ pattern: '*', path: 'a\0' }).toThrow('path holds a NUL character');
    await failing({ pattern: '*.{ts' }).toThrow('pattern *.{ts cannot be read: the { at its character 3 is not closed');
    await failing({ pattern: '*/../*' }).toThrow('".." can only stand at the beginning');
  });
});
