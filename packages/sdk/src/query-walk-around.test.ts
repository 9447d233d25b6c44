import { link, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PermissionUpdate, SDKMessage } from '@rondo/protocol';
import { call, say, scriptedModel, type ScriptedStep } from '@rondo/runtime/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Options } from './options/options.ts';
import { query } from './query.ts';
import { collectMessages } from './testing/collect-messages.ts';
import { streamOf } from './testing/prompt-stream.ts';

let root = '';
let places = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'rondo-around-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** A folder with something that is denied, and something outside of it. */
async function place(): Promise<{ home: string; cwd: string; outside: string }> {
  places += 1;
  const [home, cwd, outside] = ['home', 'work', 'outside'].map((name) => join(root, `${places}`, name)) as [
    string,
    string,
    string,
  ];
  await mkdir(join(cwd, 'secrets'), { recursive: true });
  await mkdir(join(cwd, 'open'));
  await mkdir(join(outside, 'deep'), { recursive: true });
  await writeFile(join(cwd, 'secrets', 'x'), 'hidden-word\nsecond line\n');
  await writeFile(join(cwd, 'a.txt'), 'alpha\n');
  return { home, cwd, outside };
}

async function run(at: { home: string; cwd: string }, steps: readonly ScriptedStep[], more: Options): Promise<string> {
  const env = { PATH: process.env['PATH'] };
  const options: Options = { model: scriptedModel([...steps, say('Done.')]), home: at.home, cwd: at.cwd, env, ...more };
  const lines: SDKMessage[] = await collectMessages(query({ prompt: 'go', options }));
  return JSON.stringify(lines.filter(({ type }) => type === 'user' || type === 'system'));
}

const allowAll = async () => ({ behavior: 'allow' }) as const;
const read = (path: string) => call('Read', { file_path: path });
const write = (path: string) => call('Write', { file_path: path, content: 'written' });

describe('a denied path', () => {
  const denied: Options = { disallowedTools: ['Read(./secrets)', 'Edit(./secrets)'], canUseTool: allowAll };

  test.each([
    'secrets/x',
    './secrets/../secrets/x',
    'open/../secrets/x',
    'secrets//x',
    'secrets/x/',
    'file-link',
    'chain',
    'folder-link/x',
    'folder-link/../secrets/x',
    '/proc/self/root$CWD/secrets/x',
    '$CWD/secrets/x',
    'inner/../../work/secrets/x',
  ])('is not read as %s', async (spelled) => {
    const at = await place();
    await symlink('secrets/x', join(at.cwd, 'file-link'));
    await symlink('file-link', join(at.cwd, 'chain'));
    await symlink('secrets', join(at.cwd, 'folder-link'));
    await symlink('.', join(at.cwd, 'inner'));
    const said = await run(at, [read(spelled.replace('$CWD', at.cwd))], denied);
    expect(said).not.toContain('hidden-word');
  });

  test.each(['new-link', 'folder-link/new', 'open/../secrets/new', 'far-link/dangling'])(
    'is not written as %s',
    async (spelled) => {
      const at = await place();
      await symlink('secrets/new', join(at.cwd, 'new-link'));
      await symlink('secrets', join(at.cwd, 'folder-link'));
      // A link in a folder that is a link itself starts from where the folder really is.
      await symlink('../outside/deep', join(at.cwd, 'far-link'));
      await symlink('../secrets/new', join(at.outside, 'deep', 'dangling'));
      await run(at, [write(spelled)], denied);
      await expect(readFile(join(at.cwd, 'secrets', 'new'), 'utf8')).rejects.toThrow('ENOENT');
    },
  );

  test('is not shown by the reason of an Edit that fails', async () => {
    const at = await place();
    const edit = call('Edit', { file_path: 'secrets/x', old_string: 'hidden', new_string: 'y' });
    const near = call('Edit', { file_path: 'secrets/x', old_string: 'second line\nz', new_string: 'y' });
    const said = await run(at, [edit, near], { ...denied, disallowedTools: ['Read(./secrets)'] });
    expect(said).not.toContain('hidden-word');
    expect(said).toContain('Read(./secrets)');
    expect(await readFile(join(at.cwd, 'secrets', 'x'), 'utf8')).toContain('hidden-word');
  });

  test('is not reached by arguments that an answer put in place', async () => {
    const at = await place();
    const canUseTool: Options['canUseTool'] = async () => ({
      behavior: 'allow',
      updatedInput: { file_path: 'open/../secrets/x', content: 'changed' },
    });
    await run(at, [write('b.txt')], { ...denied, canUseTool });
    expect(await readFile(join(at.cwd, 'secrets', 'x'), 'utf8')).toContain('hidden-word');
  });
});

describe('between the question and the answer', () => {
  test.each(['file', 'folder'])('a %s that became a link leads nowhere', async (kind) => {
    const at = await place();
    const victim = join(at.outside, 'victim');
    await writeFile(victim, 'untouched');
    const path = kind === 'file' ? 'target' : 'open/victim';
    const canUseTool: Options['canUseTool'] = async () => {
      if (kind === 'file') await symlink(victim, join(at.cwd, 'target'));
      else {
        await rm(join(at.cwd, 'open'), { recursive: true });
        await symlink(at.outside, join(at.cwd, 'open'));
      }
      return { behavior: 'allow' };
    };
    // Beside the session's folder, so that the tool itself does not mind.
    const said = await run(at, [write(path)], { canUseTool, additionalDirectories: [at.outside] });
    expect(await readFile(victim, 'utf8')).toBe('untouched');
    expect(said).toContain('elsewhere');
  });

  test('a rule that was added denies', async () => {
    const at = await place();
    const updatedPermissions: PermissionUpdate[] = [
      { type: 'addRules', behavior: 'deny', rules: [{ toolName: 'Write' }], destination: 'session' },
    ];
    const canUseTool: Options['canUseTool'] = async () => ({ behavior: 'allow', updatedPermissions });
    await run(at, [write('b.txt')], { canUseTool });
    await expect(readFile(join(at.cwd, 'b.txt'))).rejects.toThrow('ENOENT');
  });
});

describe('acceptEdits', () => {
  test.each(['.git/hooks/pre-commit', 'open/../.git/x', 'hooks/x', '.GIT/x', '.vscode/tasks.json'])(
    'asks before %s',
    async (spelled) => {
      const at = await place();
      await mkdir(join(at.cwd, '.git/hooks'), { recursive: true });
      await symlink('.git/hooks', join(at.cwd, 'hooks'));
      const asked: string[] = [];
      const canUseTool: Options['canUseTool'] = async (_name, input) => {
        asked.push(String(input['file_path']));
        return { behavior: 'deny', message: 'no' };
      };
      const options: Options = { permissionMode: 'acceptEdits', allowedTools: ['Edit(.)', 'Write'], canUseTool };
      await run(at, [write(spelled)], options);
      expect(asked).toEqual([spelled]);
    },
  );
});

describe('an answer that would widen', () => {
  test.each<[string, unknown]>([
    ['to a mode that nobody allowed', [{ type: 'setMode', mode: 'bypassPermissions', destination: 'session' }]],
    ['to every call', [{ type: 'addRules', rules: [{ toolName: '*' }], behavior: 'allow', destination: 'session' }]],
    ['by what is no update', [{ type: 'bogus', destination: 'session' }]],
  ])('%s is no consent, and the session lives on', async (_what, updatedPermissions) => {
    const at = await place();
    const asked: string[] = [];
    const canUseTool: Options['canUseTool'] = async (_name, input) => {
      asked.push(String(input['file_path']));
      if (asked.length > 1) return { behavior: 'deny', message: 'no' };
      return { behavior: 'allow', updatedPermissions: updatedPermissions as PermissionUpdate[] };
    };
    const { home, cwd } = at;
    const model = scriptedModel([write('b.txt'), write('c.txt'), say('Done.')]);
    const first = query({ prompt: streamOf('go'), options: { model, home, cwd, canUseTool } });
    const lines: SDKMessage[] = [];
    try {
      for await (const line of first) {
        lines.push(line);
        if (line.type === 'system' && line.subtype === 'informational') await first.interrupt();
      }
    } catch {
      // The interrupted turn's own end.
    }
    await expect(readFile(join(cwd, 'b.txt'))).rejects.toThrow('ENOENT');
    const resume = String(lines[0]?.session_id);
    await collectMessages(query({ prompt: 'again', options: { model, home, cwd, canUseTool, resume } }));
    expect(asked).toEqual(['b.txt', 'c.txt']);
    await expect(readFile(join(cwd, 'c.txt'))).rejects.toThrow('ENOENT');
  });
});

test('an exact line allows no other, whatever blanks another system takes for none', async () => {
  const at = await place();
  const script = '#!/bin/sh\necho ran > ran\n';
  for (const name of ['./build\u00a0', './build\r', './build '])
    await writeFile(join(at.cwd, name), script, { mode: 0o755 });
  const lines = ['./build\u00a0', './build\r', '\ufeff./build', './build\\ '];
  const steps = lines.map((command) => call('Bash', { command }));
  await run(at, steps, { allowedTools: ['Bash(./build)', 'Bash(./build\\)'] });
  await expect(readFile(join(at.cwd, 'ran'))).rejects.toThrow('ENOENT');
});

test('a hard link is another name of the same file, and denied as that', async () => {
  const at = await place();
  await link(join(at.cwd, 'secrets', 'x'), join(at.cwd, 'b.txt'));
  const said = await run(at, [read('b.txt')], { disallowedTools: ['Read(./secrets)'] });
  expect(said).toContain('denied by disallowedTools');
  expect(said).not.toContain('hidden-word');
});
