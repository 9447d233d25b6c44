import { execFileSync } from 'node:child_process';
import { mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { MAX_IMAGE_BASE64_CHARACTERS } from '@rondo/protocol';
import { isToolError, type ToolResult } from '@rondo/runtime';
import { temporaryToolContext, type TemporaryToolContext } from '@rondo/runtime/testing';
import { describe, expect, it } from 'vitest';
import { read } from './read.ts';
import type { ReadInput } from './read/read-input.ts';
import { largestPdf, mostImageBase64 } from './read/read-media.ts';

interface TextFile {
  readonly content: string;
  readonly numLines: number;
  readonly startLine: number;
  readonly totalLines: number;
  readonly totalLinesIsMinimum?: true;
  readonly next?: { readonly offset: number; readonly character_offset?: number };
}

function fileOf(result: ToolResult): TextFile {
  return (result.structured as unknown as { file: TextFile }).file;
}

async function failure(run: Promise<unknown>): Promise<string> {
  return run.then(
    () => 'did not fail',
    (error: unknown) => (isToolError(error) ? error.message : `no ToolError: ${String(error)}`),
  );
}

/** Follows the hint of every page, as a model would, and gives the pages. */
async function readAll(
  tool: TemporaryToolContext,
  file_path: string,
  first: Partial<ReadInput> = {},
): Promise<TextFile[]> {
  const pages: TextFile[] = [];
  for (let range: Partial<ReadInput> | undefined = first; range !== undefined; ) {
    const result = await read.run({ file_path, ...range }, tool.context());
    const page = fileOf(result);
    pages.push(page);
    const hint = /read on with offset: (\d+)(?:, character_offset: (\d+))?\./i.exec(
      typeof result.content === 'string' ? result.content : '',
    );
    expect(page.next).toEqual(
      hint === null
        ? undefined
        : { offset: Number(hint[1]), ...(hint[2] === undefined ? {} : { character_offset: Number(hint[2]) }) },
    );
    range = page.next;
  }
  return pages;
}

/** Joins pages as their hints say: within a line, or with a line break. */
function joinPages(pages: readonly TextFile[]): string {
  return pages
    .map(({ content, next }) => (next === undefined || next.character_offset !== undefined ? content : `${content}\n`))
    .join('');
}

describe('Read of a text', () => {
  it('numbers the lines, counts an empty one at the end, and remembers the content', async () => {
    await using tool = await temporaryToolContext();
    await writeFile(join(tool.folder, 'a.txt'), 'one\r\ntwo\n');
    const result = await read.run({ file_path: 'a.txt' }, tool.context());
    expect(result.content).toBe('1\tone\n2\ttwo\n3\t');
    const path = join(tool.folder, 'a.txt');
    expect(result.structured).toEqual({
      type: 'text',
      file: { filePath: path, content: 'one\ntwo\n', numLines: 3, startLine: 1, totalLines: 3 },
    });
    expect(result.remembered).toEqual({ [`file:${path}`]: { hash: expect.stringMatching(/^sha256-[0-9a-f]{64}$/) } });
  });

  it('shows the lines that were asked for and where to read on', async () => {
    await using tool = await temporaryToolContext();
    await writeFile(
      join(tool.folder, 'a.txt'),
      Array.from({ length: 10 }, (_, index) => `line ${index + 1}\n`).join(''),
    );
    const middle = await read.run({ file_path: 'a.txt', offset: 3, limit: 2 }, tool.context());
    expect(middle.content).toBe('3\tline 3\n4\tline 4\n\n[Lines 3 to 4 of 11. Read on with offset: 5.]');
    const last = await read.run({ file_path: 'a.txt', offset: 9, limit: 2 }, tool.context());
    expect(last.content).toBe('9\tline 9\n10\tline 10');
    expect(await failure(read.run({ file_path: 'a.txt', offset: 12 }, tool.context()))).toContain(
      'the file has 11 lines',
    );
    expect(await failure(read.run({ file_path: 'a.txt', character_offset: 100 }, tool.context()))).toContain(
      '6 characters',
    );
  });

  it.each([
    ['UTF-16LE', Buffer.from('\ufeff\u00e9\n\u4f60', 'utf16le')],
    ['UTF-16BE', Buffer.from('\ufeff\u00e9\n\u4f60', 'utf16le').swap16()],
    ['UTF-8 with a byte order mark', Buffer.from('\ufeff\u00e9\n\u4f60')],
  ])('decodes %s', async (_name, bytes) => {
    await using tool = await temporaryToolContext();
    await writeFile(join(tool.folder, 'a.txt'), bytes);
    expect(fileOf(await read.run({ file_path: 'a.txt' }, tool.context())).content).toBe('\u00e9\n\u4f60');
  });

  it('decodes Latin-1 with its Windows quotes, and lines that end with CR alone', async () => {
    await using tool = await temporaryToolContext();
    await writeFile(join(tool.folder, 'a.txt'), Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0d, 0x93, 0x61, 0x94]));
    expect(fileOf(await read.run({ file_path: 'a.txt' }, tool.context())).content).toBe('caf\u00e9\n\u201ca\u201d');
  });

  it('gives up to 256 KB whole, and more in pages that join without gap or overlap', async () => {
    await using tool = await temporaryToolContext();
    const line = (index: number) => `${index}: ${'x\u00e9\u{1f600}'.repeat(index % 30)}`;
    const whole = Array.from({ length: 3000 }, (_, index) => line(index)).join('\n');
    await writeFile(join(tool.folder, 'whole.txt'), whole.slice(0, 100_000));
    const [page, ...others] = await readAll(tool, 'whole.txt');
    expect(page?.content).toBe(whole.slice(0, 100_000));
    expect(others).toEqual([]);

    const large = `${whole}\n${whole}\n`;
    await writeFile(join(tool.folder, 'large.txt'), large);
    const pages = await readAll(tool, 'large.txt');
    expect(pages.length).toBeGreaterThan(3);
    expect(joinPages(pages)).toBe(large);
    for (const { totalLines } of pages) expect(totalLines).toBe(6001);
    expect(joinPages(await readAll(tool, 'large.txt', { offset: 5000, limit: 100 }))).toBe(
      large.split('\n').slice(4999).join('\n'),
    );
  });

  it.each([
    ['UTF-8', (text: string) => Buffer.from(text)],
    ['UTF-16LE', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16BE', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
  ])('pages one giant line of %s by characters', async (_name, encode) => {
    await using tool = await temporaryToolContext();
    const giant = 'ab\u00e9\u4f60\u{1f600}'.repeat(80_000);
    const text = `first\n${giant}\nlast`;
    await writeFile(join(tool.folder, 'giant.txt'), encode(text));
    const pages = await readAll(tool, 'giant.txt');
    expect(joinPages(pages)).toBe(text);
    expect(pages.every(({ content }) => content.isWellFormed())).toBe(true);
    // The place of a page follows from its numbers alone, also when nothing is known of the pages before.
    const place = pages[2];
    await writeFile(join(tool.folder, 'copy.txt'), encode(text));
    const again = await read.run({ file_path: 'copy.txt', ...pages[1]?.next }, tool.context());
    expect(fileOf(again).content).toBe(place?.content);
  });

  it('pages a giant line that is read in parts', async () => {
    await using tool = await temporaryToolContext();
    const giant = 'ab\u00e9\u4f60\u{1f600}'.repeat(800_000);
    await writeFile(join(tool.folder, 'giant.txt'), `first\n${giant}\nlast`);
    const pages = await readAll(tool, 'giant.txt');
    expect(joinPages(pages) === `first\n${giant}\nlast`).toBe(true);
    await writeFile(join(tool.folder, 'copy.txt'), `first\n${giant}\nlast`);
    const again = await read.run({ file_path: 'copy.txt', ...pages[49]?.next }, tool.context());
    expect(fileOf(again).content).toBe(pages[50]?.content);
  });

  it('reads a file of five gigabytes by pages, in little time and memory', async () => {
    await using tool = await temporaryToolContext();
    const path = join(tool.folder, 'huge.log');
    const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index + 1} of a long log\n`).join('');
    await writeFile(path, lines);
    // The rest is a hole: one line of zeros that takes no disk.
    await truncate(path, 5 * 1024 ** 3);
    const before = process.resourceUsage().maxRSS;
    const first = fileOf(await read.run({ file_path: path }, tool.context()));
    expect(first).toMatchObject({ startLine: 1, totalLinesIsMinimum: true, next: { offset: first.numLines + 1 } });
    const second = fileOf(await read.run({ file_path: path, ...first.next, limit: 3 }, tool.context()));
    expect(second.content.split('\n')[0]).toBe(`line ${first.numLines + 1} of a long log`);
    expect(process.resourceUsage().maxRSS - before).toBeLessThan(100 * 1024);
  });

  it('says of an empty file that it is', async () => {
    await using tool = await temporaryToolContext();
    await writeFile(join(tool.folder, 'a.txt'), '');
    expect((await read.run({ file_path: 'a.txt' }, tool.context())).content).toContain('is empty');
  });

  it.skipIf(process.platform !== 'linux')('reads files of /proc, which say that they are empty', async () => {
    await using tool = await temporaryToolContext();
    expect(fileOf(await read.run({ file_path: '/proc/self/status' }, tool.context())).content).toMatch(/^Name:/);
  });

  it('ends with its signal', async () => {
    await using tool = await temporaryToolContext();
    await writeFile(join(tool.folder, 'a.txt'), 'x\n'.repeat(200_000));
    const aborted = tool.context({ signal: AbortSignal.abort() });
    await expect(read.run({ file_path: 'a.txt', offset: 150_000 }, aborted)).rejects.toThrow('aborted');
  });
});

describe('Read of what is no text', () => {
  it('names what stands there, at once', async () => {
    await using tool = await temporaryToolContext();
    const at = (name: string) => join(tool.folder, name);
    const reason = (file_path: string) => failure(read.run({ file_path }, tool.context()));
    execFileSync('mkfifo', [at('pipe')]);
    await symlink('loop', at('loop'));
    await mkdir(at('folder'));
    const server = createServer().listen(at('socket'));
    await writeFile(at('program'), Buffer.from('\x7fELF\x02\x01\x01\0\0\0\0\0\0', 'latin1'));
    await writeFile(at('data.bin'), Buffer.from([1, 2, 3, 0, 255, 254, 0]));
    expect(await reason(at('pipe'))).toContain('a named pipe');
    expect(await reason(at('loop'))).toContain('circle');
    expect(await reason(at('folder'))).toContain('a folder');
    expect(await reason(at('socket'))).toContain('a socket');
    expect(await reason('/dev/zero')).toContain('a device');
    expect(await reason(at('program'))).toContain('13 bytes, it looks like an ELF program');
    expect(await reason(at('data.bin'))).toContain('is binary (7 bytes)');
    expect(await reason('')).toContain('file_path is empty');
    expect(await reason('a\0b')).toContain('NUL');
    expect(await reason(at('data.bin/file'))).toContain('is a file, not a folder');
    if (process.platform === 'linux') expect(await reason('/proc/self/mem')).toContain('EIO');
    server.close();
  });

  it('names the folder and near names when nothing is there', async () => {
    await using tool = await temporaryToolContext();
    await mkdir(join(tool.folder, 'src'));
    await writeFile(join(tool.folder, 'src', 'Config.ts'), 'x');
    const reason = (file_path: string) => failure(read.run({ file_path }, tool.context()));
    expect(await reason('src/config.ts')).toContain(`Did you mean ${join(tool.folder, 'src', 'Config.ts')}?`);
    expect(await reason('src/Config.js')).toContain('Config.ts');
    expect(await reason('source/deep/a.ts')).toContain(`${tool.folder} exists, source in it does not`);
    expect(await reason('nothing.md')).toBe(
      `${join(tool.folder, 'nothing.md')} does not exist. The session's folder is ${tool.folder}.`,
    );
  });

  it('shows images with their size, and refuses what models refuse', async () => {
    await using tool = await temporaryToolContext();
    const path = join(tool.folder, 'image.dat');
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAYAAACddGYaAAAAEElEQVR42mNkYPhfz4AEAAqxAYSqm2GmAAAAAElFTkSuQmCC',
      'base64',
    );
    await writeFile(path, png);
    const result = await read.run({ file_path: path }, tool.context());
    expect(result.content).toEqual([
      { type: 'image', uri: `data:image/png;base64,${png.toString('base64')}`, mediaType: 'image/png' },
    ]);
    expect(result.structured).toMatchObject({
      type: 'image',
      file: { type: 'image/png', originalSize: png.length, dimensions: { originalWidth: 3, originalHeight: 2 } },
    });
    const wide = Buffer.from(png);
    wide.writeUInt32BE(9000, 16);
    await writeFile(path, wide);
    expect(await failure(read.run({ file_path: path }, tool.context()))).toContain('9000 x 2 pixels');
    await writeFile(path, Buffer.concat([png, Buffer.alloc(7_500_000)]));
    expect(await failure(read.run({ file_path: path }, tool.context()))).toContain('models take at most 7500000');
    expect(mostImageBase64).toBe(MAX_IMAGE_BASE64_CHARACTERS);
  });

  it('hands small PDFs over whole and says what pages can do', async () => {
    await using tool = await temporaryToolContext();
    const path = join(tool.folder, 'paper.pdf');
    await writeFile(path, '%PDF-1.7\nsmall');
    const result = await read.run({ file_path: path }, tool.context());
    const base64 = Buffer.from('%PDF-1.7\nsmall').toString('base64');
    expect(result.content).toContainEqual({
      type: 'embedded_resource',
      uri: `file://${path}`,
      mediaType: 'application/pdf',
      blob: base64,
    });
    expect(result.structured).toEqual({ type: 'pdf', file: { filePath: path, base64, originalSize: 14 } });
    const reason = (pages: string) => failure(read.run({ file_path: path, pages }, tool.context()));
    expect(await reason('1-5')).toContain('Leave pages out');
    expect(await reason('5-1')).toContain('a range that rises');
    await truncate(path, largestPdf + 1);
    expect(await failure(read.run({ file_path: path }, tool.context()))).toContain('pdftotext');
    await writeFile(path, 'text');
    expect(await reason('1')).toContain('pages is for PDF files');
  });

  it('shows notebooks as cells', async () => {
    await using tool = await temporaryToolContext();
    const path = join(tool.folder, 'work.ipynb');
    const cells = [
      { cell_type: 'markdown', id: 'm', source: ['# Title\n', 'text'] },
      {
        cell_type: 'code',
        id: 'c',
        execution_count: 2,
        source: 'print(1)',
        outputs: [
          { output_type: 'stream', text: ['1\n'] },
          { output_type: 'display_data', data: { 'image/png': 'aWtvbg==\n', 'text/plain': 'figure' } },
          { output_type: 'error', ename: 'ValueError', evalue: 'bad', traceback: ['\u001b[31mline\u001b[0m'] },
        ],
      },
    ];
    await writeFile(path, JSON.stringify({ cells, metadata: { language_info: { name: 'python' } }, nbformat: 4 }));
    const result = await read.run({ file_path: path }, tool.context());
    const [text, image] = result.content as readonly { readonly type: string; readonly text?: string }[];
    expect(text?.text).toContain('[1] markdown (id m)\n# Title\ntext\n');
    expect(text?.text).toContain(
      '[2] python code (id c)\nprint(1)\nOutput:\n1\n\nOutput:\nfigure\nOutput:\nValueError: bad\nline\n',
    );
    expect(image).toEqual({ type: 'image', uri: 'data:image/png;base64,aWtvbg==', mediaType: 'image/png' });
    expect(result.structured).toMatchObject({
      type: 'notebook',
      file: { cells: [{ cellType: 'markdown' }, { cellType: 'code', execution_count: 2 }] },
    });
    await writeFile(path, '{ damaged');
    expect(await failure(read.run({ file_path: path }, tool.context()))).toContain('Read it as text with offset: 1');
    expect(fileOf(await read.run({ file_path: path, offset: 1 }, tool.context())).content).toBe('{ damaged');
  });

  it('says when it may not', () => {
    // Modes do not bind root: as root the file is read by somebody else.
    const somebody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
    const program = join(import.meta.dirname, '..', 'fixtures', 'read-forbidden.ts');
    const said = execFileSync(process.execPath, ['--conditions=@rondo/source', program], {
      ...somebody,
      encoding: 'utf8',
    });
    expect(said).toContain('permission denied');
  });
});
