import { RondoError } from '@rondo/protocol/values';
import { expect, test } from 'vitest';
import { problemOf } from './problem.ts';

test.each([
  ['options.maxTurns takes a whole number from 1.', '--max-turns takes a whole number from 1.'],
  ['other tools; forkSession: true goes on in a new session', 'other tools; --fork-session goes on in a new session'],
  [
    'nothing here to continue; leave out continue to start one',
    'nothing here to continue; leave out --continue to start one',
  ],
  [
    'options.permissionPromptToolName: no tool of options.mcpServers',
    '--permission-prompt-tool: no tool of --mcp-config',
  ],
  ['options.outputFormat.schema is no JSON Schema', '--json-schema is no JSON Schema'],
  ['options.plugins is not served', '--plugin-dir is not served'],
  ['a message: true or false', 'a message: true or false'],
])('what the engine says of options is said of flags: %s', (said, told) => {
  expect(problemOf(new RondoError('session.config_mismatch', said)).message).toBe(told);
});

test('wrong input is wrong usage, everything else an error', () => {
  expect(problemOf(new RondoError('input.invalid', 'x')).exitCode).toBe(2);
  expect(problemOf(new RondoError('session.not_found', 'x')).exitCode).toBe(1);
});

test('what is no error of ours says that it is a fault', () => {
  expect(problemOf(new TypeError('x is not a function'))).toEqual({
    message: expect.stringMatching(/^TypeError: x is not a function\n.*--debug-file/) as string,
    exitCode: 1,
  });
});
