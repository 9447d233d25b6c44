import { expect, test } from 'vitest';
import { chatRequest } from './chat-request.ts';
import { chatFlags } from './chat-flags.ts';
import { parseArguments } from './parse-arguments.ts';

function request(...argv: string[]) {
  const { values, positionals } = parseArguments(argv, chatFlags);
  return chatRequest(values, positionals);
}

const id = '0b54a5f2-93a7-4c5e-8d7e-2f1c6a9b0d11';

test('what nobody asked for stays open', () => {
  expect(request('hello')).toEqual({
    prompt: 'hello',
    print: false,
    verbose: false,
    includePartialMessages: false,
    allowBypass: false,
    allowedTools: [],
    disallowedTools: [],
    addDir: [],
    continue: false,
    forkSession: false,
    persistSession: true,
    replayUserMessages: false,
    sessionMirror: false,
    debug: false,
    further: {},
  });
});

test('values get their types', () => {
  expect(
    request('--max-turns=3', '--max-budget-usd', '0.50', '--tools=', `--session-id=${id.toUpperCase()}`),
  ).toMatchObject({
    maxTurns: 3,
    maxBudgetUsd: 0.5,
    tools: [],
    sessionId: id,
  });
});

test('skipping permissions is the mode that allows everything', () => {
  expect(request('--dangerously-skip-permissions')).toMatchObject({
    permissionMode: 'bypassPermissions',
    allowBypass: true,
  });
  expect(request('--allow-dangerously-skip-permissions').permissionMode).toBeUndefined();
  expect(request('--permission-mode', 'manual').permissionMode).toBe('default');
});

test.each([
  [['--output-format', 'jsn'], '--output-format takes text, json, stream-json, not "jsn". Did you mean json?'],
  [['--permission-mode=acceptedits2'], 'Did you mean acceptEdits?'],
  [['--max-turns', '0'], '--max-turns takes a whole number from 1, not "0".'],
  [['--max-turns', '2.5'], 'not "2.5"'],
  [['--max-budget-usd', '-1'], '--max-budget-usd takes an amount above 0'],
  [['--max-budget-usd', '0'], 'not "0"'],
  [['--session-id', 'abc'], '--session-id takes a UUID, not "abc".'],
  [['--session-id', id, '--resume', id], 'it needs --fork-session'],
  [['--continue', '--resume', id], 'use one of them'],
  [['--no-session-persistence', '-c'], 'nothing to --continue'],
  [['--include-partial-messages'], 'needs --output-format stream-json'],
  [['--model', ''], '--model needs a value: --model MODEL'],
  [['--dangerously-skip-permissions', '--permission-mode', 'plan'], 'contradicts --permission-mode plan'],
  [['fix', 'this'], 'The prompt is one argument, but there are 2: "fix", "this". Quote it.'],
  [['session', 'list'], 'did you mean rondo sessions?'],
])('%j is refused in words that help', (argv, message) => {
  expect(() => request(...argv)).toThrow(message);
});

test('a session of one ID may be forked into another', () => {
  expect(request('--resume', id, '--fork-session', '--session-id', id)).toMatchObject({ resume: id, sessionId: id });
});
