import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startModelServer, text, toolCall } from '@rondo/providers/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { outputLines, resultOf } from '../harness/output-lines.ts';
import { createPlace, type Place } from '../harness/place.ts';
import { runCommand } from '../harness/start-command.ts';
import { toolResults } from '../harness/wire-request.ts';

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
    await using server = await startModelServer({ script: [text('Grüße, 世界 👩‍👩‍👧')] });
    const exit = await runCommand({ place, server, args: ['-p', 'hello'] });
    expect(exit).toEqual({ stdout: 'Grüße, 世界 👩‍👩‍👧\n', stderr: '', exitCode: 0, signal: null });
  });

  test('loops over twenty steps of tools', async () => {
    const steps = Array.from({ length: 20 }, (_, n) => [toolCall('Bash', { command: `echo ${n} >> steps.txt` })]);
    await using server = await startModelServer({ script: [...steps, text('Twenty lines.')] });
    const args = ['-p', 'count', '--allowedTools', 'Bash', '--output-format', 'json'];
    const { stdout, exitCode } = await runCommand({ place, server, args });
    expect(exitCode).toBe(0);
    expect(resultOf(stdout)).toMatchObject({ result: 'Twenty lines.', num_turns: 21, terminal_reason: 'completed' });
    const lines = readFileSync(join(place.project, 'steps.txt'), 'utf8').trimEnd().split('\n');
    expect(lines).toEqual(Array.from({ length: 20 }, (_, n) => String(n)));
  });

  test('runs the calls of one message, and gives their results in the order of the calls', async () => {
    const names = ['one.txt', 'two.txt', 'three.txt'];
    for (const name of names) writeFileSync(join(place.project, name), `content of ${name}\n`);
    const calls = names.map((name) => toolCall('Read', { file_path: join(place.project, name) }));
    await using server = await startModelServer({ script: [calls, text('Read.')] });
    const { stdout } = await runCommand({ place, server, args: ['-p', 'read', '--output-format', 'stream-json'] });
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
    const results = toolResults(server.requests[1]);
    expect(results.map((result) => names.findIndex((name) => result.includes(`content of ${name}`)))).toEqual([
      0, 1, 2,
    ]);
  });

  test('denies what nobody allowed, says why to model and program, and goes on', async () => {
    const call = toolCall('Bash', { command: 'touch made' }, 'toolu_denied');
    await using server = await startModelServer({ script: [[call], text('I may not.')] });
    const args = ['-p', 'make it', '--output-format', 'stream-json'];
    const { stdout, exitCode } = await runCommand({ place, server, args });
    expect(exitCode).toBe(0);
    expect(existsSync(join(place.project, 'made'))).toBe(false);
    const lines = outputLines(stdout);
    const denied = lines.find(({ subtype }) => subtype === 'permission_denied');
    expect(denied).toMatchObject({
      tool_name: 'Bash',
      tool_use_id: 'toolu_denied',
      message: expect.stringMatching(/\S/),
    });
    expect(toolResults(server.requests[1])).toEqual([denied?.['message']]);
    expect(lines.at(-1)).toMatchObject({
      subtype: 'success',
      is_error: false,
      result: 'I may not.',
      permission_denials: [{ tool_name: 'Bash', tool_use_id: 'toolu_denied', tool_input: { command: 'touch made' } }],
    });
  });
});
