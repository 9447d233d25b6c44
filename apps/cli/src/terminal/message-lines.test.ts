import type { SDKMessage } from '@rondo/sdk';
import { expect, test } from 'vitest';
import { createMessageLines, type MessageLinesOptions } from './message-lines.ts';
import { apiRetry, inSession, toolCall, toolResult } from '../testing/sdk-messages.ts';
import { plain } from './painter.ts';

function shown(messages: readonly SDKMessage[], options: Partial<MessageLinesOptions> = {}): string[] {
  const lines = createMessageLines({ cwd: '/project', width: 60, paint: plain, detail: 'results', ...options });
  return messages.flatMap(lines);
}

test('a call is one line, its output a few more', () => {
  const messages = [toolCall('1', 'Bash', { command: 'seq 9' }), toolResult('1', '1\n2\n3\n4\n5\n6\n7\n8\n9\n')];
  expect(shown(messages, { outputLines: 3 })).toEqual(['• Bash seq 9', '  1', '  2', '  3', '  … 6 more lines']);
  expect(shown(messages, { detail: 'calls' })).toEqual(['• Bash seq 9']);
});

test('an edit shows its change', () => {
  const structured = { structuredPatch: [{ oldStart: 3, lines: ['-old', '+new'] }] };
  expect(shown([toolCall('1', 'Edit', { file_path: '/project/a.ts' }), toolResult('1', 'ok', { structured })])).toEqual(
    ['• Edit a.ts', '  @@ line 3', '  -old', '  +new'],
  );
});

test('other results are counted, and a failure is always told', () => {
  expect(shown([toolCall('1', 'Read', { file_path: '/project/a.ts' }), toolResult('1', '1\ta\n2\tb')])).toEqual([
    '• Read a.ts',
    '  2 lines',
  ]);
  const failed = [toolCall('1', 'Bash', { command: 'false' }), toolResult('1', 'Exit code 1\nwhy', { isError: true })];
  expect(shown(failed, { detail: 'calls' })).toEqual(['• Bash false', '  ✗ Exit code 1', '  … 1 more line']);
});

test('a search tells what it found', () => {
  const structured = { mode: 'content', numFiles: 1, filenames: ['a.ts'], content: 'a.ts:1:x', numLines: 1 };
  const messages = [toolCall('1', 'Grep', { pattern: 'x', path: 'src' }), toolResult('1', 'a.ts:1:x', { structured })];
  expect(shown(messages)).toEqual(['• Grep x in src', '  1 line in 1 file']);
  const nothing = [toolCall('1', 'Glob', { pattern: '*' }), toolResult('1', 'No files found')];
  expect(shown(nothing)).toEqual(['• Glob *', '  No files found']);
});

test('results of calls at once are named', () => {
  expect(
    shown([
      toolCall('1', 'Read', { file_path: '/project/a.ts' }),
      toolCall('2', 'Read', { file_path: '/project/b.ts' }),
      toolResult('2', 'x\ny'),
      toolResult('1', 'x'),
    ]),
  ).toEqual(['• Read a.ts', '• Read b.ts', '  2 lines', '  Read a.ts:', '    x']);
});

test('a refusal is told once, with its reason', () => {
  expect(
    shown([
      toolCall('1', 'Bash', { command: 'npm publish' }),
      {
        type: 'system',
        subtype: 'permission_denied',
        ...inSession,
        tool_name: 'Bash',
        tool_use_id: '1',
        decision_reason: 'nobody to ask',
        message: 'Denied',
      },
      toolResult('1', 'Denied', { isError: true }),
    ]),
  ).toEqual(['• Bash npm publish', '  ✗ not allowed: nobody to ask']);
});

test('a retry says why, which one and when', () => {
  expect(shown([apiRetry({ attempt: 2, max_retries: 10, retry_delay_ms: 1050 })])).toEqual([
    '↻ The model did not answer: overloaded (529). Retry 2 of 10…',
  ]);
  expect(shown([apiRetry({ error_status: null, error: 'unknown' })], { width: 99 })).toEqual([
    '↻ The model did not answer: no connection. Retry 1 of 3 in 0.5 s',
  ]);
});

test('nothing a tool returns reaches the terminal as a control', () => {
  const text = shown([
    toolCall('1', 'Bash', { command: 'x \u001b]0;title\u0007' }),
    toolResult('1', '\u001b[2J\u009bm', { isError: false }),
    toolCall('2', 'Read', { file_path: '/project/\u001b[2Ka' }),
    toolResult('2', '\u001b[1;1H', { isError: true }),
  ]).join('\n');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none of these may be there
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
});
