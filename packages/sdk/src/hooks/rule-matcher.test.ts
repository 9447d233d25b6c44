import { builtinTools } from '@rondo/tools';
import { expect, test } from 'vitest';
import { ruleMatcher } from './rule-matcher.ts';

const matches = ruleMatcher({ tools: Object.values(builtinTools), directories: ['/work'], home: '/home/me' });
const bash = (command: string) => ({ toolName: 'Bash', input: { command } });
const edit = (path: string) => ({ toolName: 'Edit', input: { file_path: path, old_string: 'a', new_string: 'b' } });

test.each([
  ['Bash(git push:*)', bash('git push --force'), true],
  ['Bash(git push:*)', bash('cd x && sudo git push'), true],
  ['Bash(git push:*)', bash('git status'), false],
  ['Bash(git push:*)', edit('git push'), false],
  ['Bash', bash('ls'), true],
  ['Edit(//**/x.json)', edit('/anywhere/x.json'), true],
  ['Edit(//**/x.json)', edit('/anywhere/y.json'), false],
  ['Edit(~/secret)', edit('/home/me/secret'), true],
  ['Edit(src/**)', edit('/work/src/a.ts'), true],
  ['Edit(src/**)', edit('/work/docs/a.md'), false],
])('%s is about %j: %j', async (rule, call, expected) => {
  expect(await matches(rule, call)).toBe(expected);
});

test('a call that cannot be compared runs the hook', async () => {
  expect(await matches('Bash(rm:*)', bash('"$program" -rf x'))).toBe(true);
  await expect(matches('Bash(rm', bash('ls'))).rejects.toThrow('not closed');
  await expect(matches('Bash', { toolName: 'Unknown', input: {} })).rejects.toThrow('Unknown');
});
