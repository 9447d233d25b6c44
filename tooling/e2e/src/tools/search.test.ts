import { execFileSync } from 'node:child_process';
import { createWriteStream, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import type { ToolResult } from '@rondo/runtime';
import { temporaryToolContext } from '@rondo/runtime/testing';
import { builtinTools } from '@rondo/tools';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { outputLines, resultOf } from '../harness/output-lines.ts';
import { createPlace, type Place } from '../harness/place.ts';
import { runCommand, startCommand } from '../harness/start-command.ts';
import { writeScript } from '../harness/write-script.ts';

const textOf = ({ content }: ToolResult): string => (typeof content === 'string' ? content : 'no text');

/** Writes without holding it all in memory. */
async function writeLarge(file: string, piece: Buffer, count: number): Promise<void> {
  const stream = createWriteStream(file);
  for (let index = 0; index < count; index += 1) if (!stream.write(piece)) await once(stream, 'drain');
  stream.end();
  await once(stream, 'close');
}

describe('the memory of a search is bounded', () => {
  it('whatever a line holds and however many lines there are', async () => {
    await using tool = await temporaryToolContext();
    const { folder } = tool;
    // One line of 300 MB with a match in its middle, and two million lines that match.
    const megabyte = Buffer.alloc(1_000_000, 'x');
    const long = createWriteStream(join(folder, 'long'));
    for (let index = 0; index < 300; index += 1) {
      if (!long.write(index === 150 ? Buffer.concat([Buffer.from('needle'), megabyte]) : megabyte))
        await once(long, 'drain');
    }
    long.end();
    await once(long, 'close');
    await writeLarge(join(folder, 'many'), Buffer.from('a needle in a line\n'.repeat(10_000)), 200);

    const before = process.resourceUsage().maxRSS;
    const search = (path: string, more: object) =>
      builtinTools.Grep.run({ pattern: 'needle', path, ...more }, tool.context());
    const content = { output_mode: 'content' };
    expect(textOf(await search('long', content))).toMatch(
      /^long:1:\[… from byte 149999851 of the line\] x{150}needlex{344} \[… the line goes on\]$/,
    );
    expect(textOf(await search('.', {}))).toBe('long\nmany');
    expect(textOf(await search('many', { output_mode: 'count' }))).toContain('many:2000000\n');
    expect(textOf(await search('many', content)).split('\n')).toHaveLength(252);
    expect(textOf(await search('many', { ...content, head_limit: 0 })).length).toBeLessThan(110_000);
    expect(textOf(await search('many', { ...content, offset: 1_999_999 }))).toBe(
      'many:2000000:a needle in a line\n\n[Lines 2000000 to 2000000 of 2000000, the last.]',
    );
    expect((process.resourceUsage().maxRSS - before) / 1024).toBeLessThan(150);
  }, 120_000);
});

describe('places that may not be read', () => {
  it('are told, and the rest is searched', () => {
    // Modes do not bind root: the search is somebody else's then.
    const somebody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
    const program = join(import.meta.dirname, 'unreadable-program.ts');
    const said = execFileSync(process.execPath, ['--conditions=@rondo/source', program], {
      ...somebody,
      encoding: 'utf8',
    });
    const note = '[Not searched, or not to the end: locked (permission denied)';
    expect(JSON.parse(said)).toEqual([
      `open\n\n${note}, secret (permission denied).]`,
      `open:1:word\n\n${note}, secret (permission denied).]`,
      expect.stringMatching(
        /^(?:open\nsecret|secret\nopen)\n\n\[Not searched, or not to the end: locked \(permission denied\)\.\]$/,
      ),
      expect.stringContaining('locked could not be searched: permission denied.'),
      expect.stringContaining('secret could not be opened: permission denied.'),
      // The rules forbid to see what could not be read.
      'open',
    ]);
  });
});

describe('the command', () => {
  let place: Place;
  beforeEach(() => {
    place = createPlace();
  });
  afterEach(() => {
    expect(place.processes()).toEqual([]);
    place[Symbol.dispose]();
  });

  it('has Grep and Glob when they are named, with the ripgrep that comes with it, and hides what may not be read', async () => {
    mkdirSync(join(place.project, 'secrets'));
    writeFileSync(join(place.project, 'secrets', 'key'), 'password\n');
    writeFileSync(join(place.project, 'a.txt'), 'password?\n');
    symlinkSync('secrets', join(place.project, 'link'));
    const denied = { matches: 'denied by disallowedTools: Read\\(\\./secrets\\)', error: true };
    const model = writeScript(place, [
      {
        reply: [
          { call: 'Grep', input: { pattern: 'password', output_mode: 'content' } },
          { call: 'Glob', input: { pattern: '**' } },
          { call: 'Grep', input: { pattern: 'password', path: 'link' } },
          { call: 'Glob', input: { pattern: 'link/*' } },
        ],
      },
      {
        expect: { results: [{ matches: '^a\\.txt:1:password\\?$' }, { matches: '^a\\.txt$' }, denied, denied] },
        text: 'Found.',
      },
    ]);
    const args = ['-p', 'search', '--tools', 'Grep,Glob', '--disallowedTools', 'Read(./secrets)'];
    const { stdout } = await runCommand({
      place,
      args: [...args, ...model, '--output-format', 'stream-json'],
      // Nothing of the machine's own.
      env: { PATH: '/nowhere' },
    });
    expect(outputLines(stdout)[0]).toMatchObject({ tools: ['Glob', 'Grep'] });
    expect(resultOf(stdout)).toMatchObject({ result: 'Found.' });
  });

  /** A file and a pattern on which ripgrep works for minutes. */
  function slowSearch() {
    writeFileSync(join(place.project, 'slow'), `${'a'.repeat(24)}!\n`.repeat(300_000));
    return { pattern: '(?=a)(a|aa)+$' };
  }

  async function searching(): Promise<void> {
    while (!place.processes().some((each) => each.includes('--pcre2'))) await setImmediate();
  }

  it('ends a search when it is interrupted', async () => {
    const model = writeScript(place, [{ call: 'Grep', input: slowSearch() }]);
    const args = ['-p', 'x', '--tools', 'Grep', '--output-format', 'json', ...model];
    const run = startCommand({ place, args });
    await searching();
    run.child.kill('SIGINT');
    const { stdout, exitCode } = await run.exit;
    expect(exitCode).toBe(130);
    expect(resultOf(stdout)).toMatchObject({ terminal_reason: 'aborted_tools' });
  });

  it('ends a search that outlived the command which was killed, when it takes the session up', async () => {
    const slow = writeScript(place, [{ call: 'Grep', input: slowSearch() }], { name: 'slow' });
    const run = startCommand({ place, args: ['-p', 'x', '--tools', 'Grep', ...slow] });
    await searching();
    run.child.kill('SIGKILL');
    await run.exit;
    expect(place.processes()).toHaveLength(1);
    // A search is at work before its reply is on the disk, so the log may have it or not: this one begins anywhere.
    const next = writeScript(place, [{ expect: { user: 'go on' }, text: 'Again.' }], { order: 'once' });
    const args = ['--continue', '-p', 'go on', '--tools', 'Grep', ...next];
    expect(await runCommand({ place, args })).toMatchObject({ stdout: 'Again.\n', exitCode: 0 });
    // Nobody waits for the sweep.
    while (place.processes().length > 0) await setImmediate();
  });
});
