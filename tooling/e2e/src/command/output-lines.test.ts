import { SDKMessage } from '@rondo/protocol';
import type { ScriptStep } from '@rondo/providers/scripted';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type OutputLine, outputLines } from '../harness/output-lines.ts';
import { createPlace, type Place } from '../harness/place.ts';
import { kindOf, missingFields } from '../harness/required-fields.ts';
import { runCommand } from '../harness/start-command.ts';
import { writeScript } from '../harness/write-script.ts';

let place: Place;
beforeEach(() => {
  place = createPlace();
});
afterEach(() => place[Symbol.dispose]());

async function linesOf(steps: readonly ScriptStep[], args: readonly string[]): Promise<OutputLine[]> {
  const { stdout } = await runCommand({
    place,
    args: ['-p', 'go', ...writeScript(place, steps), ...args],
    env: { CLAUDE_CODE_MAX_RETRIES: '1' },
  });
  return outputLines(stdout);
}

/** Every field that must be there is, and each line is what its schema says. */
function expectWhole(lines: readonly OutputLine[]): void {
  for (const line of lines) {
    expect(missingFields(line), JSON.stringify(line)).toEqual([]);
    const read = SDKMessage.safeParse(line);
    expect(read.error?.issues ?? [], JSON.stringify(line)).toEqual([]);
  }
}

describe('issue 2, accept 2: every line carries what the second seed requires of its type', () => {
  test('stream-json, with pieces, a retry, reasoning, results, errors and a refusal', async () => {
    const lines = await linesOf(
      [
        { error: { status: 529 } },
        {
          reply: [
            { reasoning: 'hm' },
            { text: 'I try.' },
            { call: 'Bash', input: { command: 'echo one' } },
            { call: 'Bash', input: { command: 'touch two' } },
          ],
        },
        { reply: [{ call: 'Bash', json: '{' }, { call: 'Nothing' }] },
        { text: 'done' },
      ],
      ['--output-format', 'stream-json', '--include-partial-messages', '--allowedTools', 'Bash(echo one)'],
    );
    expectWhole(lines);
    expect(new Set(lines.map(kindOf))).toEqual(
      new Set([
        'system/init',
        'system/status',
        'system/thinking_tokens',
        'system/api_retry',
        'system/permission_denied',
        'stream_event',
        'assistant',
        'user',
        'result/success',
      ]),
    );
    expect(new Set(lines.map((line) => line.session_id)).size).toBe(1);
    const uuids = lines.map((line) => line['uuid']);
    expect(new Set(uuids).size).toBe(uuids.length);
  });

  test('json: one object, the result', async () => {
    const lines = await linesOf([{ text: 'done' }], ['--output-format', 'json']);
    expect(lines.map(kindOf)).toEqual(['result/success']);
    expectWhole(lines);
  });

  test('json: the result of a model that could not be reached', async () => {
    const lines = await linesOf([{ error: { status: 400 } }], ['--output-format', 'json']);
    expect(lines).toMatchObject([{ subtype: 'success', is_error: true }]);
    expectWhole(lines);
  });

  test('json: the result of a turn that reached its limit', async () => {
    const lines = await linesOf(
      [{ call: 'Bash', input: { command: 'echo' } }],
      ['--output-format', 'json', '--max-turns', '1'],
    );
    expect(lines.map(kindOf)).toEqual(['result/error_max_turns']);
    expectWhole(lines);
  });

  test('stream-json: what keeps a turn from starting is a result, too', async () => {
    const lines = await linesOf(
      [],
      ['--output-format', 'stream-json', '--resume', '0b54a5f2-93a7-4c5e-8d7e-2f1c6a9b0d11'],
    );
    expect(lines.map(kindOf)).toEqual(['result/error_during_execution']);
    expectWhole(lines);
  });
});
