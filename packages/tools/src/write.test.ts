import { chmod, link, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isToolError } from '@rondo/runtime';
import { temporaryToolContext } from '@rondo/runtime/testing';
import { describe, expect, it } from 'vitest';
import { read } from './read.ts';
import { write } from './write.ts';

async function failure(run: Promise<unknown>): Promise<string> {
  return run.then(
    () => 'did not fail',
    (error: unknown) => (isToolError(error) ? error.message : `no ToolError: ${String(error)}`),
  );
}

describe('Write', () => {
  it('makes a file and its folders, and gives what programs expect', async () => {
    await using tool = await temporaryToolContext();
    const path = join(tool.folder, 'a', 'b', 'c.txt');
    const result = await write.run({ file_path: 'a/b/c.txt', content: 'one\ntwo\n' }, tool.context());
    expect(await readFile(path, 'utf8')).toBe('one\ntwo\n');
    expect(result.content).toBe(`Created ${path}.`);
    expect(result.structured).toEqual({
      type: 'create',
      filePath: path,
      content: 'one\ntwo\n',
      structuredPatch: [],
      originalFile: null,
    });
    expect(await readdir(join(tool.folder, 'a', 'b'))).toEqual(['c.txt']);
  });

  it('replaces a file with the difference as a patch, and can do so again', async () => {
    await using tool = await temporaryToolContext();
    const path = join(tool.folder, 'a.txt');
    await writeFile(path, 'one\ntwo\nthree\n');
    tool.remember(await read.run({ file_path: path }, tool.context()));
    const call = { file_path: path, content: 'one\nTWO\nthree\nfour\n' };
    const result = await write.run(call, tool.context());
    expect(result.structured).toEqual({
      type: 'update',
      filePath: path,
      content: call.content,
      originalFile: 'one\ntwo\nthree\n',
      structuredPatch: [
        { oldStart: 1, oldLines: 3, newStart: 1, newLines: 4, lines: [' one', '-two', '+TWO', ' three', '+four'] },
      ],
    });
    // As after a crash: nothing is known of the first run but what the file holds.
    const again = await write.run(call, tool.context({ sessionId: 'restarted' }));
    expect(again.isError).toBeUndefined();
    expect(await readFile(path, 'utf8')).toBe(call.content);
  });

  it('refuses a file that changed since it was read, and an unread one outside', async () => {
    await using tool = await temporaryToolContext();
    const path = join(tool.folder, 'a.txt');
    await writeFile(path, 'one');
    tool.remember(await read.run({ file_path: path }, tool.context()));
    await writeFile(path, 'changed by somebody');
    const call = { file_path: path, content: 'two' };
    expect(await failure(write.run(call, tool.context()))).toContain('has changed on disk since it was read');
    expect(await readFile(path, 'utf8')).toBe('changed by somebody');
    const outside = tool.context({ cwd: join(tool.folder, 'elsewhere'), remembered: {} });
    expect(await failure(write.run(call, outside))).toContain('has not been read yet');
    await write.run(call, tool.context({ remembered: {} }));
    expect(await readFile(path, 'utf8')).toBe('two');
  });

  it('takes a link inside the session to a file outside for what it is', async () => {
    await using tool = await temporaryToolContext();
    const work = join(tool.folder, 'work');
    await mkdir(work);
    await writeFile(join(tool.folder, 'outside.txt'), 'mine');
    await symlink('../outside.txt', join(work, 'inside.txt'));
    const message = await failure(write.run({ file_path: 'inside.txt', content: 'x' }, tool.context({ cwd: work })));
    expect(message).toContain('has not been read yet');
  });

  it('writes through links, also through one that leads to nothing yet', async () => {
    await using tool = await temporaryToolContext();
    await symlink('new/target.txt', join(tool.folder, 'link'));
    await write.run({ file_path: 'link', content: 'x' }, tool.context());
    expect((await lstat(join(tool.folder, 'link'))).isSymbolicLink()).toBe(true);
    expect(await readFile(join(tool.folder, 'new', 'target.txt'), 'utf8')).toBe('x');
  });

  it('replaces the file, not what else has its bytes', async () => {
    await using tool = await temporaryToolContext();
    await writeFile(join(tool.folder, 'store'), 'shared');
    await link(join(tool.folder, 'store'), join(tool.folder, 'a'));
    await write.run({ file_path: 'a', content: 'own' }, tool.context());
    expect(await readFile(join(tool.folder, 'store'), 'utf8')).toBe('shared');
    expect(await readdir(tool.folder)).toEqual(['a', 'store']);
  });

  it('becomes UTF-8 when the encoding lacks a character, and says so', async () => {
    await using tool = await temporaryToolContext();
    const path = join(tool.folder, 'a.txt');
    await writeFile(path, Buffer.from('caf\u00e9\r\n', 'latin1'));
    await write.run({ file_path: path, content: 'th\u00e9\n' }, tool.context());
    expect(await readFile(path, 'latin1')).toBe('th\u00e9\r\n');
    const result = await write.run({ file_path: path, content: '\u2192\n' }, tool.context());
    expect(await readFile(path, 'utf8')).toBe('\u2192\r\n');
    expect(result.content).toContain('it is UTF-8 now');
  });

  it('keeps line breaks that the content writes out', async () => {
    await using tool = await temporaryToolContext();
    const path = join(tool.folder, 'a.txt');
    await writeFile(path, 'a\r\n');
    await write.run({ file_path: path, content: 'a\rb\n' }, tool.context());
    expect(await readFile(path, 'utf8')).toBe('a\rb\n');
  });

  it('says why it cannot, at once', async () => {
    await using tool = await temporaryToolContext();
    const reason = (file_path: string) => failure(write.run({ file_path, content: 'x' }, tool.context()));
    await writeFile(join(tool.folder, 'file'), 'x');
    await symlink('loop', join(tool.folder, 'loop'));
    await writeFile(join(tool.folder, 'fixed'), 'y');
    await chmod(join(tool.folder, 'fixed'), 0o444);
    expect(await reason('.')).toContain('a folder');
    expect(await reason('file/inner')).toContain('is a file, not a folder');
    expect(await reason('loop')).toContain('circle');
    expect(await reason('fixed')).toContain('read-only (mode 444)');
    expect(await reason('/dev/null')).toContain('a device');
    if (process.platform === 'linux') expect(await reason('/proc/no/such/file')).toContain('could not be written');
    expect(await failure(write.run({ file_path: 'file', content: '\udc00' }, tool.context()))).toContain(
      'half of a character',
    );
  });

  it('keeps set-user-ID and other bits of the mode', async () => {
    await using tool = await temporaryToolContext();
    const path = join(tool.folder, 'tool.sh');
    await writeFile(path, 'a');
    await chmod(path, 0o2755);
    await write.run({ file_path: path, content: 'b' }, tool.context());
    expect((await stat(path)).mode & 0o7777).toBe(0o2755);
  });
});
