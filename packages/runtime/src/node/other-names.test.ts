import { link, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPathFilter } from '../permission/path-filter.ts';
import { caseTool } from '../testing/case-tools.ts';
import { judgeTool, plainPolicy } from '../testing/judge-line.ts';
import { otherNames } from './other-names.ts';
import { resolvePath } from './resolve-path.ts';

let work = '';
beforeAll(async () => {
  work = await realpath(await mkdtemp(join(tmpdir(), 'rondo-names-')));
  for (const folder of ['secrets/deep', 'open', 'node_modules/x', 'many']) {
    await mkdir(join(work, folder), { recursive: true });
  }
  for (const file of ['secrets/deep/key', 'open/plain', 'node_modules/x/store']) await writeFile(join(work, file), 'x');
  await link(join(work, 'secrets/deep/key'), join(work, 'open/innocent'));
  await link(join(work, 'node_modules/x/store'), join(work, 'open/package'));
  await symlink(join(work, 'open/innocent'), join(work, 'open/way'));
});
afterAll(() => rm(work, { recursive: true, force: true }));

test('the other names of a file are found below the folders, and at them', async () => {
  const innocent = join(work, 'open/innocent');
  const key = join(work, 'secrets/deep/key');
  expect(await otherNames(innocent, [join(work, 'secrets')])).toEqual([key]);
  expect(await otherNames(innocent, [key])).toEqual([key]);
  expect(await otherNames(innocent, [join(work, 'many'), join(work, 'absent')])).toEqual([]);
  expect(await otherNames(join(work, 'open/plain'), [work])).toEqual([]);
  expect(await otherNames(join(work, 'open'), [work])).toEqual([]);
  expect(await otherNames(join(work, 'absent'), [work])).toEqual([]);
});

test('what packages are installed from is not looked through', async () => {
  expect(await otherNames(join(work, 'open/package'), [work])).toEqual([]);
});

test.each(['Read(./secrets/**)', 'Read(./secrets)', 'Read(./secrets/deep/key)', 'Read(key)', 'Read(**/key)'])(
  'what %s denies is denied under a second name, to file tools and to commands',
  async (rule) => {
    const policy = plainPolicy({ directories: [work], deny: [rule], allow: ['Read', 'Edit', 'Bash'] });
    const of = async (tool: string, input: Record<string, string>) =>
      (await judgeTool(tool, input, policy, { resolvePath })).decision;
    expect(await of('Read', { file_path: 'open/innocent' })).toBe('deny');
    expect(await of('Read', { file_path: 'open/way' })).toBe('deny');
    expect(await of('Edit', { file_path: join(work, 'open/innocent') })).toBe('deny');
    expect(await of('Bash', { command: 'cat open/innocent' })).toBe('deny');
    expect(await of('Read', { file_path: 'open/plain' })).toBe('allow');
    expect(await of('Read', { file_path: 'open/package' })).toBe('allow');
  },
);

test('what a search comes upon by a second name is kept back', async () => {
  const policy = plainPolicy({ directories: [work], deny: ['Read(./secrets/**)'] });
  const filter = await createPathFilter({
    tool: caseTool('Grep'),
    input: { path: '.' },
    policy,
    resolvePath,
    foldCase: false,
  });
  const shown = ['open/innocent', 'open/plain', 'open/package', 'secrets/deep/key'].filter((name) =>
    filter?.(join(work, name)),
  );
  expect(shown).toEqual(['open/plain', 'open/package']);
});

test('where not all could be looked at, a person is asked', async () => {
  const policy = plainPolicy({ directories: [work], deny: ['Read(./secrets/**)'], allow: ['Read'] });
  const blind = Object.assign((path: string) => resolvePath(path), { otherNames: () => Promise.resolve(undefined) });
  const { decision } = await judgeTool('Read', { file_path: 'open/innocent' }, policy, { resolvePath: blind });
  expect(decision).toBe('ask');
});
