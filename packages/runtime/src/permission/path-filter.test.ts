import { expect, test } from 'vitest';
import { recordingTool } from '../testing/recording-tool.ts';
import type { PathFilter } from '../tool/tool.ts';
import { compilePolicy, type CompilePolicyOptions } from './compile-policy.ts';
import { normalPath } from './lexical-path.ts';
import { createPathFilter } from './path-filter.ts';
import type { Policy } from './policy.ts';

const searching = (name: string) =>
  recordingTool({
    name,
    ruleContent: 'path',
    effect: 'none',
    access: ({ path }) => ({ reads: [typeof path === 'string' ? path : '.'] }),
  });
const Grep = searching('Grep');

interface Asking {
  readonly path?: string;
  readonly tool?: typeof Grep;
  readonly foldCase?: boolean;
}

function filterOf(
  rules: Partial<CompilePolicyOptions> | Policy,
  { path = '.', tool = Grep, foldCase = false }: Asking = {},
): Promise<PathFilter | undefined> {
  const policy = 'sources' in rules ? rules : compilePolicy({ directories: ['/work'], home: '/home/me', ...rules });
  return createPathFilter({
    tool,
    input: { path },
    policy,
    foldCase,
    // One link: /work/link leads to /work/data.
    resolvePath: (each) => Promise.resolve(normalPath('/', each).replace(/^\/work\/link(?=\/|$)/, '/work/data')),
  });
}

const shown = (filter: PathFilter | undefined, paths: readonly string[]) => paths.filter((path) => filter?.(path));

test('where no rule speaks of paths there is no filter', async () => {
  expect(await filterOf({})).toBeUndefined();
  expect(
    await filterOf({ allowedTools: ['Read(./src)'], disallowedTools: ['Bash(ls)', 'Edit(./src)'] }),
  ).toBeUndefined();
  expect(await filterOf({ askTools: ['Grep'], disallowedTools: ['Write'] })).toBeUndefined();
});

test('what may not be read is not shown, by whichever tool comes upon it', async () => {
  const paths = ['/work/a', '/work/secrets', '/work/secrets/key', '/work/secretsx', '/etc/keys/a', '/home/me/.ssh/id'];
  const disallowedTools = ['Read(./secrets)', 'Read(//etc/keys)', 'Read(~/.ssh)'];
  const left = ['/work/a', '/work/secretsx'];
  expect(shown(await filterOf({ disallowedTools }), paths)).toEqual(left);
  expect(shown(await filterOf({ disallowedTools }, { tool: searching('Other') }), paths)).toEqual(left);
});

test('a rule for one search tool is for that tool alone', async () => {
  const disallowedTools = ['Glob(./secrets)'];
  expect(await filterOf({ disallowedTools })).toBeUndefined();
  expect(shown(await filterOf({ disallowedTools }, { tool: searching('Glob') }), ['/work/secrets/key'])).toEqual([]);
});

test('a bare name counts at any depth, and a link where it leads', async () => {
  const filter = await filterOf({ disallowedTools: ['Read(.env)', 'Read(./link)'] });
  expect(shown(filter, ['/work/a/b/.env', '/work/.env.example', '/work/data/x', '/work/dat'])).toEqual([
    '/work/.env.example',
    '/work/dat',
  ]);
});

test('letter case counts only where the file system tells it', async () => {
  const rules = { disallowedTools: ['Read(./secrets)'] };
  expect(shown(await filterOf(rules), ['/work/SECRETS/key'])).toEqual(['/work/SECRETS/key']);
  expect(shown(await filterOf(rules, { foldCase: true }), ['/work/SECRETS/key'])).toEqual([]);
});

test('what nobody was asked about is kept back, what the call itself named is not', async () => {
  const rules = { askTools: ['Read(./drafts)', 'Read(./drafts/mine)', 'Read(./letters)'] };
  const paths = ['/work/a', '/work/drafts/one', '/work/drafts/mine/two', '/work/letters/three'];
  expect(shown(await filterOf(rules), paths)).toEqual(['/work/a']);
  expect(shown(await filterOf(rules, { path: './drafts' }), paths)).toEqual(['/work/a', '/work/drafts/one']);
  const both = { ...rules, disallowedTools: ['Read(./drafts/one)'] };
  expect(shown(await filterOf(both, { path: './drafts' }), paths)).toEqual(['/work/a']);
});

test('in an ordered source the first rule that matches speaks', async () => {
  const filter = await filterOf({
    directories: ['/work'],
    mode: 'default',
    sources: [
      {
        name: 'ordered',
        evaluation: 'ordered',
        rules: [
          { behavior: 'allow', toolName: 'Read', content: './secrets/public' },
          { behavior: 'deny', toolName: 'Read', content: './secrets' },
          { behavior: 'ask', toolName: '*' },
        ],
      },
    ],
  });
  expect(shown(filter, ['/work/a', '/work/secrets/key', '/work/secrets/public/key'])).toEqual([
    '/work/a',
    '/work/secrets/public/key',
  ]);
});
