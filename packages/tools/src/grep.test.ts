import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { PathFilter, ToolResult } from '@rondo/runtime';
import { temporaryToolContext, type TemporaryToolContext } from '@rondo/runtime/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { grep } from './grep.ts';
import type { GrepInput } from './grep/grep-input.ts';
import type { GrepOutput } from './grep/run-grep.ts';

// Each search starts a program or two, on machines that may be busy.
vi.setConfig({ testTimeout: 30_000 });

function makeFiles(folder: string, files: Readonly<Record<string, string | Buffer>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

type Changes = Parameters<TemporaryToolContext['context']>[0];

const search = (tool: TemporaryToolContext, input: GrepInput, changes?: Changes): Promise<ToolResult> =>
  grep.run(input, tool.context(changes));
const outputOf = (result: ToolResult): GrepOutput => result.structured as unknown as GrepOutput;
const contentOf = ({ content: text }: ToolResult): string => (typeof text === 'string' ? text : 'no text');
const textOf = async (tool: TemporaryToolContext, input: GrepInput, changes?: Changes) =>
  contentOf(await search(tool, input, changes));
const content = { output_mode: 'content' } as const;

describe('the modes of Grep', () => {
  const files = {
    'b.ts': 'one\ntwo one\n',
    'a/z.ts': 'One\n',
    'a/b/c.ts': 'none\nx\n',
    'a-b.ts': 'one',
    'd.ts': 'two',
  };

  it('gives the files with a match, by path, folder after folder', async () => {
    await using tool = await temporaryToolContext();
    makeFiles(tool.folder, files);
    const result = await search(tool, { pattern: 'one' });
    const filenames = ['a/b/c.ts', 'a-b.ts', 'b.ts'];
    expect(result).toEqual({
      content: filenames.join('\n'),
      structured: { mode: 'files_with_matches', numFiles: 3, filenames },
    });
    expect(outputOf(await search(tool, { pattern: 'one', '-i': true })).filenames).toEqual([
      'a/b/c.ts',
      'a/z.ts',
      'a-b.ts',
      'b.ts',
    ]);
    expect(await textOf(tool, { pattern: 'nowhere' })).toBe('No files found');
  });

  it('gives lines with path and number', async () => {
    await using tool = await temporaryToolContext();
    makeFiles(tool.folder, files);
    const lines = ['a/b/c.ts:1:none', 'a-b.ts:1:one', 'b.ts:1:one', 'b.ts:2:two one'];
    expect(await search(tool, { pattern: 'one', ...content })).toEqual({
      content: lines.join('\n'),
      structured: {
        mode: 'content',
        numFiles: 3,
        filenames: ['a/b/c.ts', 'a-b.ts', 'b.ts'],
        content: lines.join('\n'),
        numLines: 4,
      },
    });
    expect(await textOf(tool, { pattern: 'two', ...content, '-n': false })).toBe('b.ts:two one\nd.ts:two');
    expect(await textOf(tool, { pattern: 'nowhere', ...content })).toBe('No matches found');
  });

  it('counts the lines of each file', async () => {
    await using tool = await temporaryToolContext();
    makeFiles(tool.folder, files);
    const counts = 'a/b/c.ts:1\na-b.ts:1\nb.ts:2';
    expect(await search(tool, { pattern: 'one', output_mode: 'count' })).toEqual({
      content: `${counts}\n\n[4 matching lines in 3 files.]`,
      structured: {
        mode: 'count',
        numFiles: 3,
        filenames: ['a/b/c.ts', 'a-b.ts', 'b.ts'],
        content: counts,
        numMatches: 4,
      },
    });
    expect(await textOf(tool, { pattern: 'nowhere', output_mode: 'count' })).toBe('No matches found');
  });
});

describe('context', () => {
  const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`).join('\n');

  it.each<[GrepInput, string]>([
    [{ pattern: '^line [38]$', '-A': 1 }, 'a:3:line 3\na-4-line 4\n--\na:8:line 8\na-9-line 9'],
    [{ pattern: '^line [38]$', '-B': 1 }, 'a-2-line 2\na:3:line 3\n--\na-7-line 7\na:8:line 8'],
    [{ pattern: '^line [35]$', '-C': 1 }, 'a-2-line 2\na:3:line 3\na-4-line 4\na:5:line 5\na-6-line 6'],
    [{ pattern: '^line 3$', context: 1, '-C': 5 }, 'a-2-line 2\na:3:line 3\na-4-line 4'],
    [{ pattern: '^line 3$', context: 1, '-A': 0 }, 'a-2-line 2\na:3:line 3'],
    [{ pattern: '^line 3$', '-C': 1, '-n': false }, 'a-line 2\na:line 3\na-line 4'],
  ])('%o', async (input, expected) => {
    await using tool = await temporaryToolContext();
    makeFiles(tool.folder, { a: lines(10) });
    expect(await textOf(tool, { ...input, ...content })).toBe(expected);
    expect(outputOf(await search(tool, { ...input, output_mode: 'count' })).content).toMatch(/^a:[12]$/);
  });

  it('parts the files too', async () => {
    await using tool = await temporaryToolContext();
    makeFiles(tool.folder, { a: lines(2), b: lines(2) });
    expect(await textOf(tool, { pattern: '1', '-A': 1, ...content })).toBe(
      'a:1:line 1\na-2-line 2\n--\nb:1:line 1\nb-2-line 2',
    );
  });

  it('a match over several lines is whole', async () => {
    await using tool = await temporaryToolContext();
    makeFiles(tool.folder, { a: 'x\nfoo {\n  bar\n}\ny\nfoo {}\n' });
    expect(await textOf(tool, { pattern: 'foo \\{.*?\\}', multiline: true, ...content })).toBe(
      'a:2:foo {\na:3:  bar\na:4:}\na:6:foo {}',
    );
    expect(await textOf(tool, { pattern: 'bar\\n\\}\\ny', multiline: true, '-A': 1, ...content })).toBe(
      'a:3:  bar\na:4:}\na:5:y\na-6-foo {}',
    );
    expect(await textOf(tool, { pattern: 'foo.*bar', ...content })).toBe('No matches found');
    expect(
      outputOf(await search(tool, { pattern: 'foo.*?\\}', multiline: true, output_mode: 'count' })).numMatches,
    ).toBe(2);
  });
});

describe('pages', () => {
  /** Follows what each result says, as a model would. */
  async function allPages(tool: TemporaryToolContext, input: GrepInput): Promise<GrepOutput[]> {
    const pages: GrepOutput[] = [];
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const result = await search(tool, { ...input, ...(offset === 0 ? {} : { offset }) });
      const output = outputOf(result);
      pages.push(output);
      expect(output.appliedOffset).toBe(offset === 0 ? undefined : offset);
      const next = /more follow: go on with offset: (\d+)\./.exec(contentOf(result));
      expect(next === null ? undefined : Number(next[1]) - offset).toBe(output.appliedLimit);
      offset = next === null ? undefined : Number(next[1]);
    }
    return pages;
  }

  const tree = Object.fromEntries(
    Array.from({ length: 230 }, (_, file) => [
      `d${file % 9}/f${file}`,
      Array.from({ length: 12 }, (_, line) => (line % 5 === file % 5 ? `match ${file} ${line}` : `other ${line}`)).join(
        '\n',
      ),
    ]),
  );

  it.each<[GrepInput, readonly number[]]>([
    [{ pattern: 'match', ...content }, [1, 200]],
    [{ pattern: 'match', ...content, '-C': 1 }, [1, 301]],
    [{ pattern: 'match.*\\nother', ...content, multiline: true, '-A': 1 }, [400]],
    [{ pattern: 'match' }, [229, 230]],
    [{ pattern: 'match', output_mode: 'count' }, [150]],
  ])('of %o join without gap or overlap', async (input, limits) => {
    await using tool = await temporaryToolContext();
    makeFiles(tool.folder, tree);
    const [whole, ...rest] = await allPages(tool, { ...input, head_limit: 0 });
    expect(rest).toEqual([]);
    for (const limit of limits) {
      // With a limit of 1 there would be too many pages: some of the first, which say enough.
      const few = limit === 1 ? { ...input, path: 'd0/f0' } : input;
      const expected = limit === 1 ? (await allPages(tool, { ...few, head_limit: 0 }))[0] : whole;
      const pages = await allPages(tool, { ...few, head_limit: limit });
      const joined = pages.flatMap(({ content: text, filenames }) => text?.split('\n') ?? filenames);
      expect(joined).toEqual(expected?.content?.split('\n') ?? expected?.filenames);
      const lengths = pages.map(({ numLines, numFiles }) => numLines ?? numFiles);
      expect(lengths.slice(0, -1).every((length) => length === limit)).toBe(true);
      expect(
        pages.every(({ numLines, content: text }) => numLines === undefined || numLines === text?.split('\n').length),
      ).toBe(true);
    }
  });

  it('hold 250 entries unless said', async () => {
    await using tool = await temporaryToolContext();
    makeFiles(tool.folder, { a: 'match\n'.repeat(251), b: 'match\n' });
    const result = await search(tool, { pattern: 'match', ...content });
    expect(result.content).toMatch(/\n\n\[Lines 1 to 250; more follow: go on with offset: 250\.\]$/);
    expect(outputOf(result)).toMatchObject({ numFiles: 1, numLines: 250, appliedLimit: 250, totalFiles: 2 });
    expect(await textOf(tool, { pattern: 'match', ...content, offset: 250 })).toBe(
      'a:251:match\nb:1:match\n\n[Lines 251 to 252 of 252, the last.]',
    );
    expect(await textOf(tool, { pattern: 'match', ...content, offset: 252 })).toBe(
      '[offset 252 is past the end, which comes after 252 lines.]',
    );
    expect(await textOf(tool, { pattern: 'match', offset: 9 })).toBe(
      '[offset 9 is past the end, which comes after 2 files.]',
    );
    expect(await textOf(tool, { pattern: 'match', head_limit: 1 })).toBe(
      'a\n\n[Files 1 to 1 of 2; more follow: go on with offset: 1.]',
    );
  });

  it('end early where their lines are long, and go on from there', async () => {
    await using tool = await temporaryToolContext();
    makeFiles(tool.folder, { a: `${'match '.repeat(80)}\n`.repeat(700) });
    const pages = await allPages(tool, { pattern: 'match', ...content, head_limit: 0 });
    expect(pages.length).toBeGreaterThan(3);
    expect(pages.every((page) => (page.content?.length ?? 0) <= 100_000)).toBe(true);
    expect(pages.flatMap((page) => page.content?.split('\n') ?? []).map((line) => Number(line.split(':')[1]))).toEqual(
      Array.from({ length: 700 }, (_, index) => index + 1),
    );
  });
});

describe('which files', () => {
  it.each<[Omit<GrepInput, 'pattern'>, readonly string[]]>([
    [{}, ['.hidden/e.ts', 'a.ts', 'b.js', 'src/c.ts', 'src/deep/d.test.ts', 'src/x.tsx']],
    [{ glob: '*.ts' }, ['.hidden/e.ts', 'a.ts', 'src/c.ts', 'src/deep/d.test.ts']],
    [{ glob: '/*.ts' }, ['a.ts']],
    [{ glob: 'src/*.ts' }, ['src/c.ts']],
    [{ glob: 'src/**/*.{ts,tsx}' }, ['src/c.ts', 'src/deep/d.test.ts', 'src/x.tsx']],
    [{ glob: 'src/' }, ['src/c.ts', 'src/deep/d.test.ts', 'src/x.tsx']],
    [{ glob: '*.ts, !*.test.ts' }, ['.hidden/e.ts', 'a.ts', 'src/c.ts']],
    [{ glob: '!src' }, ['.hidden/e.ts', 'a.ts', 'b.js']],
    [{ glob: '*.js,*.tsx' }, ['b.js', 'src/x.tsx']],
    [{ type: 'js' }, ['b.js']],
    [{ type: 'ts', glob: 'src/*' }, ['src/c.ts', 'src/x.tsx']],
    [{ type: 'ts', glob: '*.js' }, []],
    [{ path: 'src', glob: '*.ts' }, ['src/c.ts', 'src/deep/d.test.ts']],
    [{ path: 'src', glob: 'deep/*' }, ['src/deep/d.test.ts']],
    [{ path: 'src/c.ts' }, ['src/c.ts']],
    [{ path: 'src/c.ts', glob: '*.js' }, ['src/c.ts']],
    [{ path: '' }, ['.hidden/e.ts', 'a.ts', 'b.js', 'src/c.ts', 'src/deep/d.test.ts', 'src/x.tsx']],
  ])('%o', async (input, expected) => {
    await using tool = await temporaryToolContext();
    const names = ['a.ts', 'b.js', 'src/c.ts', 'src/deep/d.test.ts', 'src/x.tsx', '.hidden/e.ts'];
    makeFiles(
      tool.folder,
      Object.fromEntries([...names, '.git/HEAD', 'gen/g.ts', 'gen.ts'].map((name) => [name, 'word'])),
    );
    writeFileSync(join(tool.folder, '.gitignore'), 'gen/\ngen.ts\n');
    for (const output_mode of ['files_with_matches', 'content', 'count'] as const) {
      expect(outputOf(await search(tool, { pattern: 'word', ...input, output_mode })).filenames).toEqual(expected);
    }
  });

  it('are searched though they are ignored, when they are named', async () => {
    await using tool = await temporaryToolContext();
    makeFiles(tool.folder, { '.gitignore': 'gen/\n', 'gen/g.ts': 'word', '.git/config': 'word' });
    expect(await textOf(tool, { pattern: 'word' })).toBe(
      'No files found\n\n[What .gitignore leaves out is not searched, unless path names its folder.]',
    );
    expect(await textOf(tool, { pattern: 'word', path: 'gen' })).toBe('gen/g.ts');
    expect(await textOf(tool, { pattern: 'word', path: 'gen/g.ts', ...content })).toBe('gen/g.ts:1:word');
    expect(await textOf(tool, { pattern: 'word', path: '.git' })).toBe('.git/config');
  });

  it('are found by a glob from the root of the disk', async () => {
    await using tool = await temporaryToolContext();
    makeFiles(tool.folder, { 'src/a.ts': 'word', 'b.ts': 'word' });
    expect(await textOf(tool, { pattern: 'word', glob: `${tool.folder}/src/*.ts` })).toBe('src/a.ts');
  });

  it('outside of the session folder are named by their whole path', async () => {
    await using tool = await temporaryToolContext();
    const other = join(dirname(tool.folder), 'other');
    makeFiles(other, { 'a.ts': 'word' });
    expect(await textOf(tool, { pattern: 'word', path: '../other', ...content })).toBe(`${other}/a.ts:1:word`);
    expect(await textOf(tool, { pattern: 'word', path: '../other/a.ts' })).toBe(`${other}/a.ts`);
    expect(grep.access({ pattern: 'word', path: '../other' })).toEqual({ reads: ['../other'] });
    expect(grep.access({ pattern: 'word' })).toEqual({ reads: ['.'] });
  });

  it('have any name', async () => {
    await using tool = await temporaryToolContext();
    const names = ['-n', 'two\nlines:1:x', 'a:1:b', 'ü 你', '--'];
    makeFiles(tool.folder, Object.fromEntries(names.map((name) => [`in/${name}`, 'word\n'])));
    writeFileSync(Buffer.concat([Buffer.from(`${tool.folder}/in/f`), Buffer.from([0xff])]), 'word\n');
    const filenames = ['in/--', 'in/-n', 'in/a:1:b', 'in/f\\xff', 'in/two\nlines:1:x', 'in/ü 你'];
    expect(outputOf(await search(tool, { pattern: 'word' })).filenames).toEqual(filenames);
    const lines =
      'in/--:1:word\nin/-n:1:word\nin/a:1:b:1:word\nin/f\\xff:1:word\nin/two\\nlines:1:x:1:word\nin/ü 你:1:word';
    expect(await textOf(tool, { pattern: 'word', ...content })).toBe(lines);
    expect(outputOf(await search(tool, { pattern: 'word', output_mode: 'count' })).filenames).toEqual(filenames);
  });

  it('are not reached by links', async () => {
    await using tool = await temporaryToolContext();
    makeFiles(tool.folder, { 'real/a': 'word\n' });
    symlinkSync('.', join(tool.folder, 'loop'));
    symlinkSync('real/a', join(tool.folder, 'link'));
    expect(await textOf(tool, { pattern: 'word' })).toBe('real/a');
    expect(await textOf(tool, { pattern: 'word', path: 'link', ...content })).toBe('link:1:word');
    const judgedPlaces = new Set([join(tool.folder, 'link')]);
    await expect(search(tool, { pattern: 'word', path: 'link' }, { judgedPlaces })).rejects.toThrow('leads elsewhere');
  });

  it('that the rules forbid to see leave no trace', async () => {
    await using tool = await temporaryToolContext();
    makeFiles(tool.folder, { 'secrets/key': 'password=abc\n', a: 'password?\n', 'sub/.env': 'password\n' });
    const allowed: PathFilter = (path) => !path.startsWith(`${tool.folder}/secrets`) && !path.endsWith('.env');
    const pathFilter = () => Promise.resolve(allowed);
    for (const output_mode of ['files_with_matches', 'content', 'count'] as const) {
      const { filenames, totalFiles } = outputOf(
        await search(tool, { pattern: 'password', output_mode }, { pathFilter }),
      );
      expect({ filenames, totalFiles }).toEqual({ filenames: ['a'] });
      const guess = (letter: string) => textOf(tool, { pattern: `password=${letter}`, output_mode }, { pathFilter });
      expect(await guess('a'), 'a right guess reads as a wrong one').toBe(await guess('b'));
    }
  });
});

describe('what is in the files', () => {
  it('binary ones are left out, and where one turns out to be binary late, it is said', async () => {
    await using tool = await temporaryToolContext();
    const late = Buffer.concat([Buffer.from(`word\n${'x\n'.repeat(100_000)}`), Buffer.from('word\0word\n')]);
    makeFiles(tool.folder, { early: Buffer.from('word\0\nword\n'), late, text: 'word' });
    expect(outputOf(await search(tool, { pattern: 'word' })).filenames).toEqual(['late', 'text']);
    expect(await textOf(tool, { pattern: 'word', ...content })).toBe(
      'late:1:word\ntext:1:word\n\n[Binary, so that matches from there on are not shown: late.]',
    );
    expect(await textOf(tool, { pattern: 'word', ...content, path: 'early' })).toBe(
      '[Binary, so that matches from there on are not shown: early.]',
    );
  });

  it('is text in UTF-8 with or without mark, UTF-16, or Latin-1', async () => {
    await using tool = await temporaryToolContext();
    makeFiles(tool.folder, {
      latin: Buffer.from('caf\u00e9 word', 'latin1'),
      mark: '\ufeffword é\n',
      utf16: Buffer.from('\ufeffword é\n', 'utf16le'),
      utf8: 'word é\n',
    });
    expect(await textOf(tool, { pattern: 'word', ...content })).toBe(
      'latin:1:café word\nmark:1:word é\nutf16:1:word é\nutf8:1:word é',
    );
  });

  it('may have the line breaks of Windows', async () => {
    await using tool = await temporaryToolContext();
    makeFiles(tool.folder, { a: 'one;\r\ntwo\r\n' });
    expect(await textOf(tool, { pattern: ';$', ...content, '-A': 1 })).toBe('a:1:one;\na-2-two');
  });

  it('may have very long lines: they are cut around the match, and say so', async () => {
    await using tool = await temporaryToolContext();
    const far = 1_000_000;
    const line = (before: number, after: number) => `${'ab'.repeat(before / 2)}word${'é'.repeat(after)}\n`;
    makeFiles(tool.folder, {
      far: `first\n${line(far, far)}last`,
      mark: `\ufeffx\n${line(far, 10)}`,
      middle: line(900, 300),
      near: line(10, far),
      utf16: Buffer.from(`\ufeffx\n${line(far, 10)}`, 'utf16le'),
    });
    const lines = (await textOf(tool, { pattern: 'word', ...content, '-B': 1 })).split('\n');
    const cut = (name: string) => lines.find((each) => each.startsWith(`${name}:`)) ?? '';
    expect(cut('far')).toMatch(
      /^far:2:\[… from byte 999851 of the line\] (?:ab){75}wordé{173} \[… the line goes on\]$/,
    );
    expect(cut('mark')).toMatch(/^mark:2:\[… from byte 999851 of the line\] (?:ab){75}wordé{10}$/);
    expect(cut('middle')).toMatch(
      /^middle:1:\[… from byte 751 of the line\] (?:ab){75}wordé{173} \[… the line goes on\]$/,
    );
    expect(cut('near')).toMatch(/^near:1:(?:ab){5}wordé{243} \[… the line goes on\]$/);
    // Its bytes are not those of the text, so that the place of the match cannot be read.
    expect(cut('utf16')).toMatch(/^utf16:2:(?:ab){250} \[… the line goes on\]$/);
    expect(lines).toContain('far-1-first');
    const over = await textOf(tool, { pattern: 'word.*?last', ...content, path: 'far', multiline: true });
    expect(over).toMatch(
      /^far:2:\[… from byte 999851 of the line\] (?:ab){75}wordé{173} \[… the line goes on\]\nfar:3:last$/,
    );
    makeFiles(tool.folder, { over: `${'x'.repeat(far)}one\ntwo${'y'.repeat(far)}` });
    expect(await textOf(tool, { pattern: 'one\\ntwo', ...content, path: 'over', multiline: true })).toMatch(
      /^over:1:\[… from byte 999851 of the line\] x{150}one\nover:2:twoy{497} \[… the line goes on\]$/,
    );
  });
});

describe('a search that takes too long', () => {
  it.each(['files_with_matches', 'content', 'count'] as const)('ends, and says so: %s', async (output_mode) => {
    await using tool = await temporaryToolContext();
    makeFiles(tool.folder, { slow: `${'a'.repeat(24)}!\n`.repeat(300_000), word: 'aaaa\n' });
    const context = tool.context();
    const { signal } = context;
    const now = performance.now.bind(performance);
    let late = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + late);
    onTestFinished(() => clock.mockRestore());
    // Nearly all of its time is over when ripgrep is started.
    Object.defineProperty(context, 'signal', {
      get() {
        late = 59_900;
        return signal;
      },
    });
    expect(contentOf(await grep.run({ pattern: '(?=a)(a|aa)+$', output_mode }, context))).toMatch(
      /[[ ]The search was ended after 60 s: this is a part of what there is\. Narrow the path, glob or type\.\]$/,
    );
  });
});

describe('a pattern', () => {
  it('may look around and back, which needs another engine', async () => {
    await using tool = await temporaryToolContext();
    makeFiles(tool.folder, { a: 'foobar\nfoobaz\nabab\n' });
    expect(await textOf(tool, { pattern: 'foo(?!bar)', ...content })).toBe('a:2:foobaz');
    expect(await textOf(tool, { pattern: '(?<=foo)baz', output_mode: 'count' })).toMatch(/^a:1\n/);
    expect(await textOf(tool, { pattern: '(ab)\\1' })).toBe('a');
    makeFiles(tool.folder, { 'endless/b': `${'a'.repeat(60)}!\n` });
    const note = '[Not searched, or not to the end: endless/b (match limit exceeded).]';
    for (const path of ['endless', 'endless/b']) {
      expect(await textOf(tool, { pattern: '(?=a)(a|aa)+$', path })).toBe(`No files found\n\n${note}`);
    }
  });

  it.each<[Partial<GrepInput>, string]>([
    [
      { pattern: 'foo(' },
      'ripgrep takes:\nregex parse error:\n    (?:foo()\n    ^\nerror: unclosed group\nPut \\ before',
    ],
    [{ pattern: '(?=foo(' }, 'PCRE2: error compiling pattern at offset'],
    [
      { pattern: 'a\\nb' },
      'pattern cannot be used: the literal "\\n" is not allowed in a regex without multiline. Set multiline: true',
    ],
    [{ pattern: 'a\0' }, 'write \\x00'],
    [{ pattern: 'a'.repeat(200_000) }, 'pattern is too long'],
    [{ type: 'pyton' }, 'type pyton is none that ripgrep knows. Did you mean python?'],
    [{ type: 'nothing-of-the-kind' }, 'Use glob instead'],
    [{ glob: '*.{ts' }, 'glob **/*.{ts cannot be read: the { at its character'],
    [{ glob: '!*.{ts' }, 'glob cannot be read: error parsing glob'],
    [{ path: 'sr' }, 'does not exist'],
    [{ path: '/dev/null' }, '/dev/null is a device; only files and folders can be searched'],
  ])('%o is refused with the reason and the way on', async (input, message) => {
    await using tool = await temporaryToolContext();
    makeFiles(tool.folder, { 'src/a': 'foo' });
    await expect(search(tool, { pattern: 'foo', ...input })).rejects.toThrow(message);
  });

  it('begins with a dash, or is none of the shell’s business', async () => {
    await using tool = await temporaryToolContext();
    makeFiles(tool.folder, { a: '--files $(touch made) `x`\n' });
    expect(await textOf(tool, { pattern: '--files', ...content })).toBe('a:1:--files $(touch made) `x`');
    expect(await textOf(tool, { pattern: '\\$\\(touch made\\) `' })).toBe('a');
  });
});
