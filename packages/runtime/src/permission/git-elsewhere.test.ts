import { expect, test } from 'vitest';
import { judgeLine, plainPolicy } from '../testing/judge-line.ts';

const cwd = plainPolicy({}).directories[0];

// A repository below the session's folder may bring a configuration that has `git status` run a program. Nobody has judged it.
test.each<[string, 'allow' | 'ask']>([
  ['git status', 'allow'],
  ['git log -3', 'allow'],
  [`cd ${cwd} && git status`, 'allow'],
  ['cd . && git diff', 'allow'],
  ['git status; cd nested; ls', 'allow'],
  ['cd nested && git status', 'ask'],
  ['cd nested; git log', 'ask'],
  ['(cd nested && git diff)', 'ask'],
  ['pushd nested; git show', 'ask'],
  ['cd nested || git status; git status', 'ask'],
  ['bash -c "cd nested; git status"', 'ask'],
  ['env -C nested git status', 'ask'],
  ['find nested -execdir git status \\;', 'ask'],
  [`cd ${cwd}/nested && git branch`, 'ask'],
  ['git -C nested status', 'ask'],
])('%j without a rule: %s', async (command, expected) => {
  expect((await judgeLine(command, {})).decision).toBe(expected);
});

test('a rule for git allows it there too', async () => {
  expect((await judgeLine('cd nested && git status', { allow: ['Bash(git:*)'] })).decision).toBe('allow');
});
