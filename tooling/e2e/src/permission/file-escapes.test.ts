import { type ChildProcess, spawn } from 'node:child_process';
import { linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { once } from 'node:events';
import { type Options, query, type SDKMessage } from '@rondo/sdk';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createPlace, type Place } from '../harness/place.ts';
import { scriptModel } from '../harness/write-script.ts';

// It starts processes, which take their time on a machine with much to do.
vi.setConfig({ testTimeout: 60_000 });

const secret = 'the-secret-itself';
const disallowedTools = ['Read(./secrets/**)', 'Edit(./secrets/**)'];

let place: Place;
beforeEach(() => {
  place = createPlace();
  for (const folder of ['secrets', 'public', 'public/deep']) mkdirSync(join(place.project, folder));
  writeFileSync(join(place.project, 'secrets', 'key'), `${secret}\n`);
  writeFileSync(join(place.project, 'public', 'key'), 'nothing of note\n');
  symlinkSync('secrets', join(place.project, 'folder-link'));
  symlinkSync('../secrets/key', join(place.project, 'public', 'file-link'));
  symlinkSync(join(place.project, 'folder-link'), join(place.project, 'public', 'deep', 'twice'));
  symlinkSync('secrets/new', join(place.project, 'dangling'));
});
afterEach(() => place[Symbol.dispose]());

type Call = readonly [tool: string, input: Record<string, string>];

async function run(calls: readonly Call[], options: Options = {}): Promise<SDKMessage[]> {
  const replies: Call[][] = [];
  for (let index = 0; index < calls.length; index += 20) replies.push(calls.slice(index, index + 20));
  const steps = replies.map((reply) => ({ reply: reply.map(([call, input]) => ({ call, input })) }));
  const messages: SDKMessage[] = [];
  const given: Options = {
    cwd: place.project,
    model: scriptModel(place, [...steps, { text: 'done' }]),
    permissionMode: 'bypassPermissions',
    allowDangerouslySkipPermissions: true,
    tools: ['Read', 'Write', 'Edit', 'Grep', 'Glob', 'Bash'],
    env: place.env({ IS_SANDBOX: '1' }),
    ...options,
  };
  for await (const message of query({ prompt: 'go', options: given })) messages.push(message);
  expect(messages.at(-1)).toMatchObject({ type: 'result', subtype: 'success' });
  return messages;
}

/** What the tools gave back, without what the model itself had asked for. */
const results = (messages: readonly SDKMessage[]): string =>
  JSON.stringify(messages.filter(({ type }) => type === 'user'));

/** That what is secret has been neither shown nor changed. */
function expectKept(messages: readonly SDKMessage[]): void {
  const shown = messages.filter((message) => results([message]).includes(secret));
  expect(shown).toEqual([]);
  expect(readFileSync(join(place.project, 'secrets', 'key'), 'utf8')).toBe(`${secret}\n`);
  expect(readdirSync(join(place.project, 'secrets'))).toEqual(['key']);
}

const spellings = [
  'secrets/key',
  './secrets/key',
  'public/../secrets/key',
  'public/deep/../../secrets/key',
  'secrets//key',
  'secrets/./key',
  'secrets/key/',
  'secrets/../secrets/key',
  'folder-link/key',
  'folder-link/../secrets/key',
  'public/file-link',
  'public/../public/file-link',
  'public/deep/twice/key',
  'public/deep/twice/../secrets/key',
  '${cwd}/secrets/key',
  '${cwd}/public/../secrets/key',
  '${cwd}//secrets///key',
  'file://${cwd}/secrets/key',
  'file://localhost${cwd}/secrets/key',
  'FILE://${cwd}/secrets/key',
  'file:secrets/key',
  'file://${cwd}/%73ecrets/key',
  '/proc/self/root${cwd}/secrets/key',
  '/proc/1/root${cwd}/secrets/key',
  '/proc/thread-self/root${cwd}/secrets/key',
  '/dev/fd/../root${cwd}/secrets/key',
  '../project/secrets/key',
  ' secrets/key',
  'secrets/key ',
  '~/../project/secrets/key',
];

describe('issue 5, accept 3: a place that may not be read or written, however it is spelled', () => {
  test.each(['Read', 'Grep'])('%s shows nothing of it', async (tool) => {
    const field = tool === 'Read' ? 'file_path' : 'path';
    const calls = spellings.map(
      (path): Call => [tool, { [field]: path, ...(tool === 'Grep' ? { pattern: '.', output_mode: 'content' } : {}) }],
    );
    expectKept(await run(calls, { disallowedTools }));
  });

  test('without the rule it would be shown', async () => {
    const messages = await run(spellings.map((path): Call => ['Read', { file_path: path }]));
    expect(results(messages).split(secret).length).toBeGreaterThan(spellings.length / 2);
  });

  test('searches that come upon it by themselves show neither content nor names', async () => {
    const messages = await run(
      [
        ['Grep', { pattern: '.', output_mode: 'content' }],
        ['Grep', { pattern: 'secret' }],
        ['Grep', { pattern: '.', output_mode: 'content', path: 'folder-link' }],
        ['Grep', { pattern: '.', output_mode: 'content', path: 'public' }],
        ['Grep', { pattern: '.', output_mode: 'content', glob: '**/key' }],
        ['Grep', { pattern: '.', output_mode: 'content', path: '/proc/self/root${cwd}' }],
        ['Glob', { pattern: '**' }],
        ['Glob', { pattern: 'secrets/*' }],
        ['Glob', { pattern: 'folder-link/*' }],
        ['Glob', { pattern: 'public/../secrets/*' }],
        ['Glob', { pattern: '${cwd}/secrets/*' }],
        ['Glob', { pattern: '{public,secrets}/key' }],
        ['Glob', { pattern: '*', path: 'secrets' }],
        ['Glob', { pattern: '*', path: 'public/deep/twice' }],
      ],
      { disallowedTools },
    );
    expectKept(messages);
    expect(results(messages)).toContain('nothing of note');
    expect(results(messages)).not.toMatch(/"(?:secrets|folder-link)\/key/);
  });

  test('nothing is written there', async () => {
    const paths = [
      ...spellings,
      'secrets/new',
      'folder-link/new',
      'dangling',
      'public/../secrets/new',
      'public/deep/twice/new',
      'secrets/deeper/new',
    ];
    expectKept(
      await run(
        paths.map((path): Call => ['Write', { file_path: path, content: 'overwritten' }]),
        { disallowedTools },
      ),
    );
    expectKept(
      await run(
        paths.map((path): Call => ['Edit', { file_path: path, old_string: 'the-secret', new_string: 'x' }]),
        { disallowedTools },
      ),
    );
  });

  test('a rule for reading alone keeps it from being read by editing', async () => {
    expectKept(
      await run(
        spellings.map((path): Call => ['Edit', { file_path: path, old_string: 'the-secret', new_string: 'x' }]),
        { disallowedTools: ['Read(./secrets/**)'] },
      ),
    );
  });

  test('shell lines open nothing of it where their words tell', async () => {
    const lines = [
      'cat secrets/key',
      'cat < secrets/key',
      'cat folder-link/key',
      'cat public/file-link',
      'cat public/../secrets/key',
      'cd secrets && cat key',
      'cat s*/key',
      'grep -r . secrets',
      'head -c 99 "$PWD/secrets/key"',
      'echo x > secrets/key',
      'echo x >> folder-link/key',
      'tee secrets/new < public/key',
      'cp secrets/key public/copy',
      'mv secrets/key public/moved',
      'ln secrets/key public/hard',
      'ln -s ../secrets/key public/soft && cat public/soft',
      'rm secrets/key',
      'sed -i s/a/b/ secrets/key',
      'cat <(cat secrets/key)',
      'bash -c "cat secrets/key"',
      'x=secrets; cat $x/key',
      'dd if=secrets/key',
      'tar cf - secrets',
      'xargs cat <<< secrets/key',
      'find secrets -type f -exec cat {} +',
      'cat secr{e,}ts/key',
      'pushd secrets; cat key',
      '(cd secrets; cat key)',
      'cat ~+/secrets/key',
      'while read l; do echo "$l"; done < secrets/key',
      'mapfile -t l < secrets/key; echo "${l[@]}"',
      'echo "$(< secrets/key)"',
      'touch secrets/new',
      'rm -r secrets',
      'mv secrets elsewhere',
      'git -C secrets hash-object key -w',
      'diff secrets/key public/key',
      'base64 secrets/key',
      'sort secrets/key',
      'awk 1 secrets/key',
    ];
    expectKept(
      await run(
        lines.map((command): Call => ['Bash', { command }]),
        { disallowedTools },
      ),
    );
  });

  test('a hard link to a file that may not be read is that file', async () => {
    linkSync(join(place.project, 'secrets', 'key'), join(place.project, 'public', 'hard'));
    const calls: Call[] = [
      ['Read', { file_path: 'public/hard' }],
      ['Grep', { pattern: '.', path: 'public/hard', output_mode: 'content' }],
      ['Grep', { pattern: '.', path: 'public', output_mode: 'content' }],
      ['Edit', { file_path: 'public/hard', old_string: 'the-secret', new_string: 'x' }],
      ['Bash', { command: 'cat public/hard' }],
    ];
    expectKept(await run(calls, { disallowedTools }));
  });
});

describe('issue 5, accept 3: what is swapped between check and open', () => {
  let swapper: ChildProcess | undefined;
  afterEach(async () => {
    if (swapper === undefined || swapper.exitCode !== null) return;
    swapper.kill('SIGKILL');
    await once(swapper, 'exit');
  });

  /** A process that lays one link after the other at a place, as fast as it can, until it is ended. */
  async function swap(at: string, targets: readonly string[]): Promise<void> {
    const program = `
      const fs = require('node:fs');
      const [at, ...targets] = process.argv.slice(1);
      for (let turn = 0; ; turn += 1) {
        const beside = at + '.' + process.pid;
        fs.symlinkSync(targets[turn % targets.length], beside);
        fs.renameSync(beside, at);
        if (turn === 10) process.stdout.write('swapping');
      }`;
    swapper = spawn(process.execPath, ['-e', program, at, ...targets], {
      cwd: place.project,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (swapper.stdout === null) throw new Error('a pipe is missing');
    await once(swapper.stdout, 'data');
  }

  test('a file link: Read and Grep never show what it leads to now and then', async () => {
    await swap(join(place.project, 'door'), ['public/key', 'secrets/key']);
    const calls = Array.from(
      { length: 200 },
      (_, index): Call =>
        index % 2 === 0
          ? ['Read', { file_path: 'door' }]
          : ['Grep', { pattern: '.', path: 'door', output_mode: 'content' }],
    );
    const messages = await run(calls, { disallowedTools });
    expectKept(messages);
    // Some of them came through, some did not: the door was open both ways.
    expect(results(messages)).toContain('nothing of note');
    expect(results(messages)).toMatch(/denied by|leads elsewhere/);
  }, 60_000);

  test('a folder link: nothing is read, searched, found, written or edited behind it', async () => {
    await swap(join(place.project, 'door'), ['public', 'secrets']);
    const kinds: readonly Call[] = [
      ['Read', { file_path: 'door/key' }],
      ['Write', { file_path: 'door/made', content: 'made' }],
      ['Edit', { file_path: 'door/key', old_string: 'the-secret', new_string: 'x' }],
      ['Grep', { pattern: '.', path: 'door', output_mode: 'content' }],
      ['Glob', { pattern: '*', path: 'door' }],
      ['Glob', { pattern: 'door/*' }],
      ['Grep', { pattern: 'secret', output_mode: 'content' }],
    ];
    const calls = Array.from({ length: 30 }, () => kinds).flat();
    const messages = await run(calls, { disallowedTools });
    expectKept(messages);
    expect(readdirSync(join(place.project, 'public'))).toContain('made');
  }, 60_000);
});
