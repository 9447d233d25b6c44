import { chmod, lstat, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isToolError, type ToolContext, type ToolResult } from '@rondo/runtime';
import { temporaryToolContext } from '@rondo/runtime/testing';
import { describe, expect, it } from 'vitest';
import { edit } from './edit.ts';
import { read } from './read.ts';
import { write } from './write.ts';

const encoders: Readonly<Record<string, (text: string) => Buffer>> = {
  'UTF-8': (text) => Buffer.from(text),
  'UTF-8 with BOM': (text) => Buffer.from(`\ufeff${text}`),
  'UTF-16LE': (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
  'UTF-16LE without BOM': (text) => Buffer.from(text, 'utf16le'),
  'UTF-16BE': (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
  'Latin-1': (text) => Buffer.from(text, 'latin1'),
};
const endings: Readonly<Record<string, (line: number) => string>> = {
  LF: () => '\n',
  CRLF: () => '\r\n',
  CR: () => '\r',
  mixed: (line) => ['\n', '\r\n', '\r\n', '\n', '\r'][line % 5] ?? '\n',
};

interface Fixture {
  readonly encoding: string;
  readonly ending: string;
  readonly final: boolean;
}
const fixtures: Fixture[] = Object.keys(encoders).flatMap((encoding) =>
  Object.keys(endings).flatMap((ending) => [true, false].map((final) => ({ encoding, ending, final }))),
);

const lines = ['caf\u00e9 one', 'two', '  three \u00fc', 'four', 'five', 'six'];
function textWith(changed: readonly string[], { ending, final }: Fixture, endOf = endings[ending]): string {
  return changed
    .map((line, index) => (index < changed.length - 1 || final ? line + (endOf?.(index) ?? '') : line))
    .join('');
}

function input(file_path: string, old_string: string, new_string: string, replace_all = false) {
  return { file_path, old_string, new_string, replace_all };
}

async function failure(run: Promise<unknown>): Promise<string> {
  return run.then(
    () => 'did not fail',
    (error: unknown) => (isToolError(error) ? error.message : `no ToolError: ${String(error)}`),
  );
}

describe.each(fixtures)('in a file of $encoding, $ending, final line break $final', (fixture) => {
  const encode = encoders[fixture.encoding] ?? Buffer.from;
  const original = textWith(lines, fixture);

  async function prepared() {
    const tool = await temporaryToolContext();
    const target = join(tool.folder, 'deep.txt');
    const path = join(tool.folder, 'link.txt');
    await writeFile(target, encode(original));
    await chmod(target, 0o751);
    await symlink('deep.txt', path);
    tool.remember(await read.run({ file_path: path }, tool.context()));
    return { tool, target, path };
  }
  async function expectKept({ target, path }: { target: string; path: string }) {
    expect((await lstat(path)).isSymbolicLink()).toBe(true);
    expect((await stat(target)).mode & 0o777).toBe(0o751);
  }

  it('a word changes and nothing else', async () => {
    const { tool, ...place } = await prepared();
    await using _ = tool;
    await edit.run(input(place.path, 'four', 'vier \u00e4'), tool.context());
    const wanted = textWith(lines.with(3, 'vier \u00e4'), fixture);
    expect(await readFile(place.target)).toEqual(encode(wanted));
    await expectKept(place);
  });

  it('lines written with plain newlines match and keep their endings', async () => {
    const { tool, ...place } = await prepared();
    await using _ = tool;
    await edit.run(input(place.path, 'two\n  three \u00fc\nfour\n', 'two\n  THREE\nfour\n'), tool.context());
    expect(await readFile(place.target)).toEqual(encode(textWith(lines.with(2, '  THREE'), fixture)));
    await expectKept(place);
  });

  it('a line becomes two with the ending of its place', async () => {
    const { tool, ...place } = await prepared();
    await using _ = tool;
    await edit.run(input(place.path, 'two', 'two\ntwo and a half'), tool.context());
    const ending = endings[fixture.ending];
    const more = ['caf\u00e9 one', 'two', 'two and a half', ...lines.slice(2)];
    const wanted = textWith(more, fixture, (line) => ending?.(line <= 1 ? line : line - 1) ?? '');
    expect(await readFile(place.target)).toEqual(encode(wanted));
  });

  it('a whole new content by Write keeps the format', async () => {
    const { tool, ...place } = await prepared();
    await using _ = tool;
    const content = 'new \u00e9\nlines\n';
    await write.run({ file_path: place.path, content }, tool.context());
    const ending = fixture.ending === 'mixed' ? '\n' : (endings[fixture.ending]?.(0) ?? '');
    expect(await readFile(place.target)).toEqual(encode(content.replaceAll('\n', ending)));
    await expectKept(place);
  });
});

describe('Edit', () => {
  async function withFile(content: string | Buffer) {
    const tool = await temporaryToolContext();
    const path = join(tool.folder, 'file.txt');
    await writeFile(path, content);
    return { tool, path };
  }
  const bytesOf = (path: string) => readFile(path);

  it('leaves bytes alone that are in no encoding', async () => {
    // GBK, and a byte order mark before bytes that are no UTF-8.
    for (const content of ['c4e3bac30a6f6e650d0ac4e3', 'efbbbfff6f6e6580']) {
      const bytes = Buffer.from(content, 'hex');
      const { tool, path } = await withFile(bytes);
      await using _ = tool;
      await edit.run(input(path, 'one', 'two'), tool.context());
      expect((await bytesOf(path)).toString('hex')).toBe(content.replace('6f6e65', '74776f'));
    }
  });

  it('gives what programs expect', async () => {
    const { tool, path } = await withFile('a\nb\nc\n');
    await using _ = tool;
    const result = await edit.run(input(path, 'b', 'B'), tool.context());
    expect(result.structured).toEqual({
      filePath: path,
      oldString: 'b',
      newString: 'B',
      originalFile: 'a\nb\nc\n',
      structuredPatch: [{ oldStart: 1, oldLines: 3, newStart: 1, newLines: 3, lines: [' a', '-b', '+B', ' c'] }],
      userModified: false,
      replaceAll: false,
    });
    expect(result.content).toBe(`Replaced one occurrence in ${path} (line 2).`);
  });

  it('replaces every occurrence where asked, and else wants one', async () => {
    const { tool, path } = await withFile('x\r\nx\ny x\r\n');
    await using _ = tool;
    const message = await failure(edit.run(input(path, 'x', 'z'), tool.context()));
    expect(message).toContain('occurs 3 times');
    expect(message).toContain('lines 1, 2, 3');
    await edit.run(input(path, 'x', 'z', true), tool.context());
    expect((await bytesOf(path)).toString()).toBe('z\r\nz\ny z\r\n');
    await writeFile(path, 'aaa');
    expect(await failure(edit.run(input(path, 'aa', 'b'), tool.context({ remembered: {} })))).toContain(
      'occurs 2 times',
    );
  });

  it.each([
    ['a line that differs', 'one\ntwo\nthree\n', 'one\nzwei\nthree', 'line 2 reads "two", old_string has "zwei"'],
    ['blanks that differ', 'if (x) {\n\treturn 1\n}\n', 'if (x) {\n    return 1\n}', 'differs only in blanks'],
    ['numbers of Read', 'one\ntwo\n', '1\tone\n2\ttwo', 'not part of the file'],
    ['nothing alike', 'one\n', 'four', 'No line of the file has its first line, "four"'],
    ['more than there is', 'one\ntwo', 'two\nthree', 'the file ends before "three"'],
  ])('tells where it is nearest: %s', async (_name, content, wanted, hint) => {
    const { tool, path } = await withFile(content);
    await using _ = tool;
    expect(await failure(edit.run(input(path, wanted, 'new'), tool.context()))).toContain(hint);
    expect((await bytesOf(path)).toString()).toBe(content);
  });

  it('refuses what cannot be meant', async () => {
    const { tool, path } = await withFile(Buffer.from('caf\u00e9\n', 'latin1'));
    await using _ = tool;
    const reason = (change: readonly [string, string]) => failure(edit.run(input(path, ...change), tool.context()));
    expect(await reason(['caf', 'caf'])).toContain('the same');
    expect(await reason(['', 'new'])).toContain('exists and is not empty');
    expect(await reason(['caf', '\u2192'])).toContain('U+2192');
    expect(await reason(['caf', '\ud800'])).toContain('half of a character');
    expect(await failure(edit.run(input(join(tool.folder, 'fil.txt'), 'a', 'b'), tool.context()))).toContain(
      `Did you mean ${path}?`,
    );
    expect(await failure(edit.run(input(tool.folder, 'a', 'b'), tool.context()))).toContain('a folder');
    await writeFile(path, Buffer.from([0, 1, 2, 3, 0, 0, 255]));
    expect(await reason(['a', 'b'])).toContain('binary');
    await writeFile(path, 'a');
    await chmod(path, 0o444);
    expect(await reason(['a', 'b'])).toContain('read-only (mode 444)');
  });

  it('makes a new file from an empty old_string', async () => {
    await using tool = await temporaryToolContext();
    const path = join(tool.folder, 'new', 'deep', 'file.txt');
    const result = await edit.run(input(path, '', 'a\nb'), tool.context());
    expect((await bytesOf(path)).toString()).toBe('a\nb');
    expect(result.content).toBe(`Created ${path}.`);
  });

  it('changes line endings when they are written out', async () => {
    const { tool, path } = await withFile('a\r\nb\r\n');
    await using _ = tool;
    await edit.run(input(path, 'a\r\n', 'a\n'), tool.context());
    expect((await bytesOf(path)).toString()).toBe('a\nb\r\n');
  });

  it('refuses a file that changed since it was read, and one outside that was not read', async () => {
    const { tool, path } = await withFile('one\n');
    await using _ = tool;
    tool.remember(await read.run({ file_path: path }, tool.context()));
    await writeFile(path, 'two\n');
    expect(await failure(edit.run(input(path, 'one', 'two'), tool.context()))).toContain(
      'has changed on disk since it was read',
    );
    await writeFile(path, 'one!\n');
    expect(await failure(edit.run(input(path, 'one', 'two'), tool.context()))).toContain(
      'has changed on disk since it was read',
    );
    tool.remember(await read.run({ file_path: path }, tool.context()));
    tool.remember(await edit.run(input(path, 'one', 'two'), tool.context()));
    await edit.run(input(path, 'two', 'three'), tool.context());
    expect((await bytesOf(path)).toString()).toBe('three!\n');

    const outside: Partial<ToolContext> = { cwd: join(tool.folder, 'sub'), remembered: {}, sessionId: 'other' };
    expect(await failure(edit.run(input(path, 'three', 'four'), tool.context(outside)))).toContain(
      'has not been read yet',
    );
    await edit.run(input(path, 'three', 'four'), tool.context({ ...outside, additionalDirectories: [tool.folder] }));
    expect((await bytesOf(path)).toString()).toBe('four!\n');
  });

  it('serialises edits of one file that were asked for at once', async () => {
    const words = Array.from({ length: 20 }, (_, index) => `word${index};`);
    const { tool, path } = await withFile(words.join('\n'));
    await using _ = tool;
    tool.remember(await read.run({ file_path: path }, tool.context()));
    const alike = tool.context();
    await Promise.all(words.map((word) => edit.run(input(path, word, word.toUpperCase()), alike)));
    expect((await bytesOf(path)).toString()).toBe(words.join('\n').toUpperCase());
  });

  it('knows after a crash whether it happened', async () => {
    const { tool, path } = await withFile('a\r\nb\r\nb\r\n');
    await using _ = tool;
    const call = input(path, 'b\n', 'c\nd\n', true);
    const prepared = await edit.prepare?.(call, tool.context());
    const reconcile = async () => edit.reconcile?.(call, JSON.parse(JSON.stringify(prepared)), tool.context());
    expect(await reconcile()).toEqual({ outcome: 'not_done' });
    const result: ToolResult = await edit.run(call, tool.context());
    expect(await reconcile()).toEqual({ outcome: 'done', result });
    await writeFile(path, 'something else');
    expect(await reconcile()).toMatchObject({ outcome: 'unknown' });
    const impossible = await edit.prepare?.(input(path, 'absent', 'x'), tool.context());
    expect(await edit.reconcile?.(input(path, 'absent', 'x'), impossible ?? null, tool.context())).toEqual({
      outcome: 'not_done',
    });
  });
});
