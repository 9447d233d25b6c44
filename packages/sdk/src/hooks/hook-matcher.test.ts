import { hookEvents } from '@rondo/runtime';
import { expect, test } from 'vitest';
import { hookEventFacts } from './hook-event-facts.ts';
import { compileMatcher } from './hook-matcher.ts';

const tools = [
  'Bash',
  'Edit',
  'Write',
  'Read',
  'TodoWrite',
  'Agent',
  'mcp__srv__one',
  'mcp__srv_x__two',
  'mcp__other__a',
];
const matched = (matcher: unknown) => {
  const { matches, never } = compileMatcher('PreToolUse', matcher);
  return never === undefined ? tools.filter((tool) => matches?.(tool) ?? true) : undefined;
};

test.each([
  [undefined, tools],
  ['', tools],
  ['*', tools],
  ['.*', tools],
  ['Bash', ['Bash']],
  ['bash', []],
  ['Re', []],
  ['Write', ['Write']],
  ['Edit|Write', ['Edit', 'Write']],
  ['Edit | Write', ['Edit', 'Write']],
  ['Edit|MultiEdit|NotebookEdit', ['Edit']],
  ['Task', ['Agent']],
  ['Re.*', ['Read']],
  ['^(Read)$', ['Read']],
  ['Edit|Write.*', ['Edit', 'Write', 'TodoWrite']],
  ['Write|mcp__.*', ['Write', 'TodoWrite', 'mcp__srv__one', 'mcp__srv_x__two', 'mcp__other__a']],
  ['mcp__srv_x.*', ['mcp__srv_x__two']],
  ['mcp__', ['mcp__srv__one', 'mcp__srv_x__two', 'mcp__other__a']],
  ['mcp__srv', ['mcp__srv__one']],
  ['mcp__srv__', ['mcp__srv__one']],
  ['mcp__srv__one', ['mcp__srv__one']],
  ['mcp__srv__on', []],
  ['Bash|mcp__other', ['Bash', 'mcp__other__a']],
])('%j matches', (matcher, expected) => {
  expect(matched(matcher)).toEqual(expected);
});

test.each([
  'tool == "Bash" && tool_input.command matches "x y"',
  'tool == "Bash"',
  'tool_input.file_path matches "\\\\.ts$"',
  'Bash(git push:*)',
  'Bash(rm -rf *)',
  'Edit,Write',
  'Edit, Write',
  '*.ts',
  'Bash(',
  ['Bash'],
  { tools: ['Bash'] },
  7,
])('%j is an error: such a hook never runs', (matcher) => {
  expect(compileMatcher('PreToolUse', matcher).never).toMatch(/\w/);
});

test('an expression that can match something is not called one that cannot', () => {
  for (const text of ['Bash|tool == "x"', '(Bash|Edit)', 'mcp__.*__(read|write)', 'B[a-z ]+', 'B,?ash', 'Bash.{0,3}'])
    expect(compileMatcher('PreToolUse', text).never).toBeUndefined();
  const joined = compileMatcher('PreToolUse', 'tool == "Bash" || tool == "Edit"');
  expect(joined.matches?.('Bash')).toBe(true);
  expect(joined.notice).toContain('expression language');
});

test('a rule as a matcher is told how it is written', () => {
  expect(compileMatcher('PreToolUse', 'Bash(git push:*)').never).toContain('if: "Bash(git push:*)"');
});

test('on events without a subject any matcher is ignored', () => {
  for (const event of hookEvents.filter((each) => hookEventFacts[each].subject === undefined))
    for (const matcher of ['*', '', 'anything', 'a == b', '(']) expect(compileMatcher(event, matcher)).toEqual({});
});

test('sources and types of agents are matched like names', () => {
  const source = compileMatcher('SessionStart', 'startup|resume').matches;
  expect(['startup', 'resume', 'clear', 'compact'].filter((each) => source?.(each))).toEqual(['startup', 'resume']);
  expect(compileMatcher('SubagentStop', '^plugin:agent$').matches?.('plugin:agent')).toBe(true);
  expect(compileMatcher('SubagentStop', 'plugin:agent').matches?.('plugin:agent')).toBe(true);
});
