import type { SDKMessage } from '@rondo/sdk';
import { beforeEach, expect, test } from 'vitest';
import type { OutputFormat } from '../command/chat-request.ts';
import { inSession, success } from '../testing/sdk-messages.ts';
import { createOutput } from './output.ts';

const notice: SDKMessage = { type: 'system', subtype: 'informational', ...inSession, content: 'x', level: 'info' };

let printed: string;
let told: string[];
beforeEach(() => {
  printed = '';
  told = [];
});

function output(format: OutputFormat, isTerminal = false) {
  return createOutput(format, {
    stdout: {
      closed: new AbortController().signal,
      async write(text) {
        printed += text;
      },
      async flush() {},
    },
    isTerminal,
    onErrorResult: (message) => told.push(message),
  });
}

async function run(format: OutputFormat, messages: readonly SDKMessage[], isTerminal = false): Promise<void> {
  const out = output(format, isTerminal);
  for (const message of messages) await out.message(message);
  await out.end();
}

test('text is the answer and a newline, nothing else', async () => {
  await run('text', [notice, success('hello\n\u001b[1mworld')]);
  expect(printed).toBe('hello\n\u001b[1mworld\n');
});

test('text for a terminal cannot command it', async () => {
  await run('text', [success('\u001b]0;x\u0007')], true);
  expect(printed).toBe('␛]0;x␇\n');
});

test('text keeps an error out of standard output', async () => {
  await run('text', [success('the model is overloaded', { is_error: true })]);
  expect(printed).toBe('');
  expect(told).toEqual(['the model is overloaded']);
});

test('json is the result object alone, the last where there are several', async () => {
  await run('json', [notice, success('one'), success('two')]);
  expect(JSON.parse(printed)).toEqual(success('two'));
  expect(printed.endsWith('}\n')).toBe(true);
});

test('stream-json is every message, one a line', async () => {
  await run('stream-json', [notice, success('one')]);
  expect(
    printed
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual([notice, success('one')]);
});

test.each(['json', 'stream-json'] as const)('%s has a result also when the run had none', async (format) => {
  const out = output(format);
  await out.failure('no such session', 'asked-for');
  await out.end();
  expect(JSON.parse(printed)).toMatchObject({
    type: 'result',
    subtype: 'error_during_execution',
    is_error: true,
    num_turns: 0,
    session_id: 'asked-for',
    errors: ['no such session'],
  });
});

test('a failure after a result adds none', async () => {
  const out = output('stream-json');
  await out.message(success('one'));
  await out.failure('late', 'session');
  await out.end();
  expect(printed.trimEnd().split('\n')).toHaveLength(1);
});
