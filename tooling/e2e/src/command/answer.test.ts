import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { outputLines, resultOf } from '../harness/output-lines.ts';
import { createPlace, type Place } from '../harness/place.ts';
import { runCommand } from '../harness/start-command.ts';
import { writeScript } from '../harness/write-script.ts';

let place: Place;
beforeEach(() => {
  place = createPlace();
});
afterEach(() => {
  expect(place.processes()).toEqual([]);
  place[Symbol.dispose]();
});

describe('issue 2, accept 2: rondo -p', () => {
  test('answers a prompt with a text', async () => {
    const model = writeScript(place, [{ expect: { user: 'hello' }, text: 'Grüße, 世界 👩‍👩‍👧' }]);
    const exit = await runCommand({ place, args: ['-p', 'hello', ...model] });
    expect(exit).toEqual({ stdout: 'Grüße, 世界 👩‍👩‍👧\n', stderr: '', exitCode: 0, signal: null });
  });

  test('loops over twenty steps of tools', async () => {
    const steps = Array.from({ length: 20 }, (_, n) => ({
      call: 'Bash',
      input: { command: `echo ${n} >> steps.txt` },
    }));
    const model = writeScript(place, [...steps, { text: 'Twenty lines.' }]);
    const args = ['-p', 'count', ...model, '--allowedTools', 'Bash', '--output-format', 'json'];
    const { stdout, exitCode } = await runCommand({ place, args });
    expect(exitCode).toBe(0);
    expect(resultOf(stdout)).toMatchObject({ result: 'Twenty lines.', num_turns: 21, terminal_reason: 'completed' });
    const lines = readFileSync(join(place.project, 'steps.txt'), 'utf8').trimEnd().split('\n');
    expect(lines).toEqual(Array.from({ length: 20 }, (_, n) => String(n)));
  });

  test('runs the calls of one message, and gives their results in the order of the calls', async () => {
    const names = ['one.txt', 'two.txt', 'three.txt'];
    for (const name of names) writeFileSync(join(place.project, name), `content of ${name}\n`);
    const model = writeScript(place, [
      { reply: names.map((name) => ({ call: 'Read', input: { file_path: `\${cwd}/${name}` } })) },
      { expect: { results: names.map((name) => `content of ${name}`) }, text: 'Read.' },
    ]);
    const args = ['-p', 'read', ...model, '--output-format', 'stream-json'];
    const { stdout, stderr } = await runCommand({ place, args });
    expect(stderr).toBe('');
    const types = outputLines(stdout).map(({ type }) => type);
    expect(types).toEqual([
      'system',
      'assistant',
      'assistant',
      'assistant',
      'user',
      'user',
      'user',
      'assistant',
      'result',
    ]);
  });

  test('denies what nobody allowed, says why to model and program, and goes on', async () => {
    const model = writeScript(place, [
      { call: 'Bash', input: { command: 'touch made' }, id: 'toolu_denied' },
      { expect: { results: [{ matches: 'touch made: no rule allows it', error: true }] }, text: 'I may not.' },
    ]);
    const args = ['-p', 'make it', ...model, '--output-format', 'stream-json'];
    const { stdout, exitCode } = await runCommand({ place, args });
    expect(exitCode).toBe(0);
    expect(existsSync(join(place.project, 'made'))).toBe(false);
    const lines = outputLines(stdout);
    const denied = lines.find(({ subtype }) => subtype === 'permission_denied');
    expect(denied).toMatchObject({
      tool_name: 'Bash',
      tool_use_id: 'toolu_denied',
      message: expect.stringContaining('touch made: no rule allows it'),
    });
    expect(lines.at(-1)).toMatchObject({
      subtype: 'success',
      is_error: false,
      result: 'I may not.',
      permission_denials: [{ tool_name: 'Bash', tool_use_id: 'toolu_denied', tool_input: { command: 'touch made' } }],
    });
  });
});
