import { expect, test } from 'vitest';
import { chatFlags } from './chat-flags.ts';
import { parseArguments } from './parse-arguments.ts';

const parse = (...argv: string[]) => parseArguments(argv, chatFlags);

test('reads both spellings, both forms of a value, and the prompt anywhere', () => {
  for (const argv of [
    ['-p', 'fix it', '--max-turns', '3', '--output-format=json'],
    ['--maxTurns=3', '--outputFormat', 'json', '--print', 'fix it'],
    ['fix it', '-p', '--max-turns=3', '--output-format', 'json'],
  ]) {
    expect(parse(...argv)).toEqual({
      values: { print: true, maxTurns: '3', outputFormat: 'json' },
      positionals: ['fix it'],
    });
  }
});

test.each([
  [['--allowedTools', 'Read,Bash(git add, git *)']],
  [['--allowed-tools=Read Bash(git add, git *)']],
  [['--allowedTools', 'Read', 'Bash(git add, git *)']],
  [['--allowedTools=Read', '--allowed-tools', 'Bash(git add, git *)']],
])('a list of rules is split between its rules and not within them: %j', (argv) => {
  expect(parse(...argv).values.allowedTools).toEqual(['Read', 'Bash(git add, git *)']);
});

test('a prompt after a list of rules stays a prompt', () => {
  const { values, positionals } = parse('-p', '--allowedTools', 'Read', 'Edit', 'fix the test');
  expect(values.allowedTools).toEqual(['Read', 'Edit']);
  expect(positionals).toEqual(['fix the test']);
});

test('two dashes end a list of rules', () => {
  const { values, positionals } = parse('-p', '--allowedTools', 'Read', '--', 'Edit');
  expect(values.allowedTools).toEqual(['Read']);
  expect(positionals).toEqual(['Edit']);
});

test('a folder with spaces and commas is one folder', () => {
  expect(parse('--add-dir', '/my, folder', '--add-dir=/other').values.addDir).toEqual(['/my, folder', '/other']);
});

test('an empty list is a list', () => {
  expect(parse('--tools', '').values.tools).toEqual([]);
  expect(parse('--tools=').values.tools).toEqual([]);
});

test('an optional value may be left out before another flag', () => {
  expect(parse('--resume', '-p').values).toEqual({ resume: '', print: true });
  expect(parse('-r', 'abc').values).toEqual({ resume: 'abc' });
});

test('short flags may stand together', () => {
  expect(parse('-pc', 'next').values).toEqual({ print: true, continue: true });
});

test.each([
  ['-p', '- fix this\n- and that'],
  ['-p', '-5 degrees'],
  ['-p', '--', '--help'],
])('what only looks like a flag is the prompt: %j', (...argv) => {
  expect(parse(...argv).positionals).toEqual([argv.at(-1)]);
});

test('a value may be a negative number, for its check to refuse', () => {
  expect(parse('--max-budget-usd', '-1').values.maxBudgetUsd).toBe('-1');
});

test.each([
  [['--modle', 'x'], 'Unknown flag --modle. Did you mean --model?'],
  [['--allowTools', 'x'], 'Did you mean --allowedTools?'],
  [['--frobnicate'], 'Unknown flag --frobnicate. See rondo --help.'],
  [['-x'], 'Unknown flag -x.'],
  [['--model'], '--model needs a value: --model MODEL'],
  [['--model', '--print'], '--model needs a value'],
  [['--print=yes'], '--print takes no value, not "yes".'],
])('%j says what is wrong and what was meant', (argv, message) => {
  expect(() => parse(...argv)).toThrow(message);
});
