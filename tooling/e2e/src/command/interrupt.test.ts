import { join } from 'node:path';
import { startModelServer, text, toolCall } from '@rondo/providers/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { outputLines, resultOf } from '../harness/output-lines.ts';
import { createPlace, type Place } from '../harness/place.ts';
import { prefixOf } from '../harness/request-prefix.ts';
import { runCommand, startCommand } from '../harness/start-command.ts';
import { toolResults } from '../harness/wire-request.ts';
import { written } from '../harness/written.ts';

let place: Place;
beforeEach(() => {
  place = createPlace();
});
afterEach(() => {
  expect(place.processes()).toEqual([]);
  place[Symbol.dispose]();
});

const stream = ['--output-format', 'stream-json', '--include-partial-messages'];

describe('issue 2, accept 2: Ctrl-C', () => {
  test('in the middle of a text leaves no process and a session that goes on', async () => {
    const held = Promise.withResolvers<void>();
    await using server = await startModelServer({
      script: [text(['once upon ', held.promise, 'a time']), text('Where were we?')],
    });
    const command = startCommand({ place, server, args: ['-p', 'tell', ...stream] });
    await command.printed('once upon');
    command.child.kill('SIGINT');
    const { stdout, stderr, exitCode } = await command.exit;
    expect(exitCode).toBe(130);
    expect(await server.requests[0]?.ended).toBe('left');
    const result = resultOf(stdout);
    expect(result).toMatchObject({ subtype: 'error_during_execution', terminal_reason: 'aborted_streaming' });
    expect(stderr).toContain(`rondo --resume ${result.session_id}`);
    held.resolve();

    const next = await runCommand({ place, server, args: ['--continue', '-p', 'go on', '--output-format', 'json'] });
    expect(resultOf(next.stdout)).toMatchObject({ result: 'Where were we?', session_id: result.session_id });
    expect(server.requests[1]?.text).toContain('once upon');
  });

  test('in the middle of a tool ends all that it started, a process in a session of its own too', async () => {
    const started = join(place.project, 'started');
    const command = `setsid sleep 600 & (trap '' TERM; sleep 601) & echo yes > started; sleep 602`;
    const calls = [
      toolCall('Bash', { command }, 'toolu_1'),
      toolCall('Bash', { command: 'echo two > second' }, 'toolu_2'),
    ];
    await using server = await startModelServer({ script: [calls, text('Stopped.')] });
    const run = startCommand({ place, server, args: ['-p', 'wait', ...stream, '--allowedTools', 'Bash'] });
    expect(await written(started)).toBe('yes\n');
    run.child.kill('SIGINT');
    const { stdout, exitCode } = await run.exit;
    expect(place.processes()).toEqual([]);
    expect(exitCode).toBe(130);
    expect(resultOf(stdout)).toMatchObject({ subtype: 'error_during_execution', terminal_reason: 'aborted_tools' });
    const results = outputLines(stdout).filter(
      ({ type, tool_use_result: result }) => type === 'user' && result !== undefined,
    );
    expect(results).toHaveLength(2);
    expect(place.files(place.project).has(join(place.project, 'second'))).toBe(false);

    const next = await runCommand({ place, server, args: ['--continue', '-p', 'go on'] });
    expect(next).toMatchObject({ stdout: 'Stopped.\n', exitCode: 0 });
    const [before, after] = server.requests.map(prefixOf);
    expect(after?.messages.slice(0, before?.messages.length)).toEqual(before?.messages);
  });
});

describe('issue 2, accept 7: a stream that is cut behind the first of two calls', () => {
  test('has run nothing with an effect; the calls of the retried message run once', async () => {
    const append = (word: string) => toolCall('Bash', { command: `echo ${word} >> words` });
    const first = { type: 'reply', blocks: [append('lost'), append('never')] } as const;
    await using server = await startModelServer({
      script: [
        { ...first, fault: { type: 'cut', after: 'first-tool-call', how: 'close' } },
        [append('one'), append('two')],
        text('Appended.'),
      ],
    });
    const args = ['-p', 'append', '--allowedTools', 'Bash', '--output-format', 'stream-json'];
    const { stdout, exitCode } = await runCommand({ place, server, args });
    expect(exitCode).toBe(0);
    expect(outputLines(stdout).filter(({ subtype }) => subtype === 'api_retry')).toHaveLength(1);
    expect(place.files(place.project).get(join(place.project, 'words'))?.toString()).toBe('one\ntwo\n');
    expect(toolResults(server.requests[2])).toHaveLength(2);
    expect(server.requests[2]?.text).not.toContain('lost');
  });
});
