import {
  malformedToolCall,
  mute,
  promptTooLong,
  reply,
  reset,
  startModelServer,
  status,
  type Step,
  type StreamFault,
  text,
  times,
  toolCall,
  type WireStyle,
} from '@rondo/providers/testing';
import { describe, expect, test } from 'vitest';
import { type OutputLine, outputLines, resultOf } from '../harness/output-lines.ts';
import { createPlace, secretKey } from '../harness/place.ts';
import { type CommandExit, runCommand, startCommand } from '../harness/start-command.ts';
import { storedEvents } from '../harness/stored-events.ts';
import { toolResults } from '../harness/wire-request.ts';

interface Outcome {
  readonly exit: CommandExit;
  readonly result: OutputLine;
  readonly retries: readonly OutputLine[];
  /** Why replies that were begun were thrown away, by the log. */
  readonly discarded: readonly string[];
  readonly requests: readonly string[];
  readonly results: readonly string[];
}

const json = ['-p', 'go', '--output-format', 'stream-json'];
const quick = { CLAUDE_CODE_MAX_RETRIES: '1', API_TIMEOUT_MS: '1000', CLAUDE_STREAM_IDLE_TIMEOUT_MS: '1000' };

async function ask(script: readonly Step[], args: readonly string[] = json): Promise<Outcome> {
  using place = createPlace();
  await using server = await startModelServer({ script });
  const exit = await runCommand({ place, server, args, env: quick });
  const result = resultOf(exit.stdout);
  const events = await storedEvents(place, result.session_id);
  expect(place.processes()).toEqual([]);
  return {
    exit,
    result,
    retries: outputLines(exit.stdout).filter(({ subtype }) => subtype === 'api_retry'),
    discarded: events.flatMap((event) => (event.type === 'entry.discarded' ? [event.reason] : [])),
    requests: server.requests.map((request) => request.text),
    results: toolResults(server.requests.at(-1)),
  };
}

function expectAnswered({ exit, result }: Outcome): void {
  expect(result).toMatchObject({ subtype: 'success', is_error: false, result: 'at last' });
  expect(exit).toMatchObject({ exitCode: 0, signal: null });
}

function expectFailed({ exit, result }: Outcome, terminalReason: string, apiStatus: number | null): void {
  expect(result).toMatchObject({
    subtype: 'success',
    is_error: true,
    terminal_reason: terminalReason,
    api_error_status: apiStatus,
  });
  expect(exit).toMatchObject({ exitCode: 1, signal: null });
}

describe.concurrent('issue 2, accept 2, the table of faults', () => {
  test.each([
    [429, 'rate_limit'],
    [529, 'overloaded'],
    [500, 'server_error'],
  ])('%i is retried with an event, the same bytes again', async (code, error) => {
    const outcome = await ask([status(code), text('at last')]);
    expectAnswered(outcome);
    expect(outcome.retries).toMatchObject([{ attempt: 1, max_retries: 1, error_status: code, error }]);
    expect(outcome.requests[1]).toBe(outcome.requests[0]);
  });

  test('retry-after is obeyed', async () => {
    const { retries, result } = await ask([status(429, { retryAfter: 1 }), text('at last')]);
    expect(result.is_error).toBe(false);
    expect(retries[0]?.retry_delay_ms).toBeGreaterThanOrEqual(1000);
  });

  test('retries that are used up end in an error result and exit 1', async () => {
    const outcome = await ask([...times(2, status(529))]);
    expectFailed(outcome, 'api_error', 529);
    expect(outcome.retries).toHaveLength(1);
  });

  test('a connection that is reset is retried', async () => {
    const outcome = await ask([reset(), text('at last')]);
    expectAnswered(outcome);
    expect(outcome.retries).toMatchObject([{ error_status: null }]);
  });

  test('a connection that is refused is retried, and works once somebody listens', async () => {
    using place = createPlace();
    await using server = await startModelServer({ script: [text('at last')] });
    await server.refuse();
    const command = startCommand({ place, server, args: json, env: { CLAUDE_CODE_MAX_RETRIES: '3' } });
    await command.printed('api_retry');
    await server.accept();
    const { stdout, exitCode } = await command.exit;
    expect([resultOf(stdout)['result'], exitCode]).toEqual(['at last', 0]);
  });

  test.each([
    [401, 'authentication_failed'],
    [403, 'authentication_failed'],
  ])('%i is not retried, and names where the key comes from and never the key', async (code, error) => {
    const outcome = await ask([status(code, { message: `invalid key ${secretKey}` })]);
    expectFailed(outcome, 'api_error', code);
    expect(outcome.result['result']).toContain('ANTHROPIC_API_KEY');
    expect(`${outcome.exit.stdout}${outcome.exit.stderr}`).not.toContain(secretKey);
    const reply = outputLines(outcome.exit.stdout).find(({ type }) => type === 'assistant');
    expect(reply).toMatchObject({ error, message: { model: '<synthetic>' } });
    expect(outcome.requests).toHaveLength(1);
  });

  test('400 is not retried', async () => {
    const outcome = await ask([status(400, { message: 'no such thing' })]);
    expectFailed(outcome, 'api_error', 400);
    expect(outcome.result['result']).toContain('no such thing');
  });

  test('a prompt that is too long is not retried, and says so', async () => {
    expectFailed(await ask([promptTooLong()]), 'prompt_too_long', 400);
  });

  test('no headers: timed out and retried', async () => {
    const outcome = await ask([mute(), text('at last')]);
    expectAnswered(outcome);
    expect(outcome.retries).toHaveLength(1);
  });

  const faults: Readonly<Record<string, StreamFault>> = {
    'no first byte': { type: 'silence', after: 'headers' },
    'silence in the stream': { type: 'silence', after: { events: 4 } },
    'a stream cut behind its headers': { type: 'cut', after: 'headers', how: 'close' },
    'a stream cut in its middle': { type: 'cut', after: { events: 4 }, how: 'close' },
    'a stream reset in its middle': { type: 'cut', after: { events: 4 }, how: 'reset' },
    'a stream that ends before its message does': { type: 'cut', after: { events: 4 }, how: 'end' },
    'half an event': { type: 'cut', after: { halfEvent: 4 }, how: 'close' },
    'an event that is no JSON': { type: 'bad_json', event: 4 },
    'an error in the stream': {
      type: 'error',
      after: { events: 4 },
      error: { type: 'overloaded_error', message: 'Overloaded' },
    },
  };

  test.each(Object.entries(faults))('%s: retried, and what was shown is discarded by event', async (_, fault) => {
    const cut = reply(text('this must not remain in the answer or in the conversation, it was cut off'), { fault });
    const args = [...json, '--include-partial-messages'];
    const outcome = await ask([cut, text('at last')], args);
    expectAnswered(outcome);
    expect(outcome.retries).toHaveLength(1);
    const begun = outcome.exit.stdout.includes('this must not');
    expect(outcome.discarded).toEqual(begun ? ['stream_retried'] : []);
    expect(outcome.requests[1]).toBe(outcome.requests[0]);
  });

  const styles: Readonly<Record<string, WireStyle>> = {
    'one byte at a time': { bytesPerWrite: 1 },
    'CRLF, a byte at a time': { bytesPerWrite: 1, lineEnding: '\r\n' },
    'CR alone': { lineEnding: '\r' },
    'comments and pings': { comments: true, pings: true },
    'everything in one write': { eventsPerWrite: 1000 },
  };

  test.each(Object.entries(styles))('%s is read as sent', async (_, wire) => {
    const said = 'Grüße\u2028世界 👩‍👩‍👧\r\nend';
    const { result, exit } = await ask([reply(text(said, { pieceLength: 1 }), { wire })]);
    expect(result['result']).toBe(said);
    expect(exit.exitCode).toBe(0);
  });

  test('arguments that are no JSON, or do not fit, are an error result of their call, and the turn goes on', async () => {
    const calls = [
      malformedToolCall('Bash', '{"command": "echo'),
      toolCall('Bash', { commnad: 'echo', timeout: 'long' }),
      toolCall('Nothing', {}),
    ];
    const outcome = await ask([calls, text('at last')], [...json, '--allowedTools', 'Bash']);
    expectAnswered(outcome);
    const [broken, unfit, unknown] = outcome.results;
    expect(broken).toMatch(/not JSON.*17 characters.*\{"command": "echo/s);
    expect(unfit).toMatch(/command/);
    expect(unfit).toMatch(/commnad/);
    expect(unfit).toMatch(/timeout/);
    expect(unknown).toMatch(/No such tool: Nothing/);
  });
});
