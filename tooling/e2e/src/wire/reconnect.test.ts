import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Options, SDKMessage } from '@rondo/sdk';
import { describe, expect, inject, test, vi } from 'vitest';
import { createPlace, type Place } from '../harness/place.ts';
import { scriptModel } from '../harness/write-script.ts';
import { createLineLog, type LineLog } from './line-log.ts';
import { startWireClient, type WireClient } from './wire-client.ts';

vi.setConfig({ testTimeout: 120_000 });

interface Connected {
  readonly client: WireClient;
  readonly log: LineLog;
}

/** A peer of the place, driven by the client of the contract. */
function connect(place: Place, options: Partial<Options>, env: Readonly<Record<string, string>> = {}): Connected {
  const log = createLineLog();
  const client = startWireClient({
    command: inject('builtCommand'),
    options: { cwd: place.project, ...options },
    env: place.env(env),
    onLine: (line) => log.put(line as unknown as SDKMessage),
  });
  void client.exited.then(log.end);
  return { client, log };
}

const say = (text: string) => ({
  type: 'user',
  session_id: '',
  message: { role: 'user', content: [{ type: 'text', text }] },
  parent_tool_use_id: null,
});

/** The model appends a line to a file, which is asked about, and is done. */
function appendingModel(place: Place): string {
  return scriptModel(place, [
    { call: 'Bash', input: { command: 'echo once >> count.txt' } },
    { expect: { results: [{ error: false }] }, text: 'Done.' },
  ]);
}

const count = (place: Place): string => {
  const file = join(place.project, 'count.txt');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};

/** A function that never answers, and the IDs of what it was asked. */
function silent() {
  const asked: string[] = [];
  const heard = Promise.withResolvers<void>();
  const canUseTool: NonNullable<Options['canUseTool']> = async (_tool, _input, { requestId }) => {
    asked.push(requestId);
    heard.resolve();
    return await new Promise<never>(() => {});
  };
  return { canUseTool, asked, heard: heard.promise };
}

function allowing() {
  const asked: string[] = [];
  const canUseTool: NonNullable<Options['canUseTool']> = async (_tool, _input, { requestId }) => {
    asked.push(requestId);
    return { behavior: 'allow' };
  };
  return { canUseTool, asked };
}

/** Resumes the session without a word, and answers what waits there. */
async function answerLater(place: Place, model: string, sessionId: string) {
  const later = allowing();
  const { client, log } = connect(place, { model, resume: sessionId, canUseTool: later.canUseTool });
  await log.seen({ type: 'result' }, 1);
  client.end();
  return { asked: later.asked, log, exit: await client.exited };
}

describe('issue 6, accept 5: a question', () => {
  test.each(['the peer is killed', 'the client is gone', 'the client says no more'] as const)(
    'is asked again under its ID, and its call runs once, when %s',
    async (what) => {
      using place = createPlace();
      const model = appendingModel(place);
      const first = silent();
      const { client, log } = connect(place, { model, canUseTool: first.canUseTool });
      client.say(say('count'));
      await first.heard;
      if (what === 'the peer is killed') client.kill('SIGKILL');
      else if (what === 'the client is gone') client.vanish();
      else client.closeInput();
      await client.exited;
      expect(count(place)).toBe('');

      const { asked, log: later, exit } = await answerLater(place, model, log.lines[0]?.session_id ?? '');
      expect(asked).toEqual(first.asked);
      expect(later.lines.findLast((line) => line.type === 'result')).toMatchObject({ result: 'Done.' });
      expect(exit.code).toBe(0);
      expect(count(place)).toBe('once\n');
    },
  );

  test('is asked again by a repeated initialize, and answered once', async () => {
    using place = createPlace();
    const model = appendingModel(place);
    const answers: (() => void)[] = [];
    const asked: string[] = [];
    const canUseTool: NonNullable<Options['canUseTool']> = (_tool, _input, { requestId }) => {
      asked.push(requestId);
      return new Promise((resolve) => answers.push(() => resolve({ behavior: 'allow' })));
    };
    const { client, log } = connect(place, { model, canUseTool });
    client.say(say('count'));
    client.end();
    await vi.waitFor(() => expect(asked).toHaveLength(1), 60_000);
    await client.greet();
    await vi.waitFor(() => expect(asked).toHaveLength(2), 60_000);
    expect(new Set(asked).size).toBe(1);
    for (const answer of answers) answer();
    await log.seen({ type: 'result', result: 'Done.' }, 1);
    expect((await client.exited).code).toBe(0);
    expect(count(place)).toBe('once\n');
  });

  test('is answered an hour late', async () => {
    using place = createPlace();
    const model = appendingModel(place);
    const answer = Promise.withResolvers<void>();
    const heard = Promise.withResolvers<void>();
    const canUseTool: NonNullable<Options['canUseTool']> = async () => {
      heard.resolve();
      await answer.promise;
      return { behavior: 'allow' };
    };
    const { client, log } = connect(place, { model, canUseTool }, hourLater);
    client.say(say('count'));
    client.end();
    await heard.promise;
    client.kill('SIGUSR2');
    await client.request('mcp_status');
    answer.resolve();
    await log.seen({ type: 'result', result: 'Done.' }, 1);
    expect((await client.exited).code).toBe(0);
    expect(count(place)).toBe('once\n');
  });
});

const hourLater = { NODE_OPTIONS: `--import=${join(import.meta.dirname, 'hour-later.ts')}` };

describe('issue 6, accept 5: a hook', () => {
  const rules = { allowedTools: ['Bash'] };

  test('of a client that is gone fails closed: its call does not run', async () => {
    using place = createPlace();
    const model = scriptModel(place, [
      { call: 'Bash', input: { command: 'echo once >> count.txt' } },
      { expect: { results: [{ error: true }] }, text: 'Denied.' },
    ]);
    const heard = Promise.withResolvers<void>();
    const hook = async () => {
      heard.resolve();
      return await new Promise<never>(() => {});
    };
    const { client } = connect(place, { model, ...rules, hooks: { PreToolUse: [{ hooks: [hook] }] } });
    client.say(say('count'));
    await heard.promise;
    client.closeInput();
    await client.exited;
    expect(count(place)).toBe('');
  });

  test('is asked again after the peer was killed, and its call runs once', async () => {
    using place = createPlace();
    const model = appendingModel(place);
    const heard = Promise.withResolvers<void>();
    const mute = async () => {
      heard.resolve();
      return await new Promise<never>(() => {});
    };
    const { client, log } = connect(place, { model, ...rules, hooks: { PreToolUse: [{ hooks: [mute] }] } });
    client.say(say('count'));
    await heard.promise;
    client.kill('SIGKILL');
    await client.exited;
    expect(count(place)).toBe('');

    const calls: unknown[] = [];
    const hook = async (input: unknown) => {
      calls.push(input);
      return {};
    };
    const resumed = connect(place, {
      model: scriptModel(place, [{ call: 'Bash', input: { command: 'echo once >> count.txt' } }, { text: 'Done.' }], {
        name: 'again',
        order: 'once',
      }),
      ...rules,
      resume: log.lines[0]?.session_id ?? '',
      hooks: { PreToolUse: [{ hooks: [hook] }] },
    });
    resumed.client.say(say('go on'));
    resumed.client.end();
    await resumed.log.seen({ type: 'result' }, 1);
    await resumed.client.exited;
    expect(calls.length).toBeGreaterThan(0);
    expect(count(place)).toBe('once\n');
  });

  test.each([
    { timeout: 7200, result: { error: false }, text: 'once\n' },
    { timeout: 60, result: { error: true }, text: '' },
  ])(
    'with $timeout seconds is waited for that long, and then denies: an hour late',
    async ({ timeout, result, text }) => {
      using place = createPlace();
      const model = scriptModel(place, [
        { call: 'Bash', input: { command: 'echo once >> count.txt' } },
        { expect: { results: [result] }, text: 'Done.' },
      ]);
      const answer = Promise.withResolvers<void>();
      const heard = Promise.withResolvers<void>();
      const hook = async () => {
        heard.resolve();
        await answer.promise;
        return {};
      };
      const { client, log } = connect(
        place,
        { model, ...rules, hooks: { PreToolUse: [{ timeout, hooks: [hook] }] } },
        hourLater,
      );
      client.say(say('count'));
      client.end();
      await heard.promise;
      client.kill('SIGUSR2');
      await client.request('mcp_status');
      answer.resolve();
      await log.seen({ type: 'result', result: 'Done.' }, 1);
      await client.exited;
      expect(count(place)).toBe(text);
    },
  );
});
