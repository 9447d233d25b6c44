import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { call, say, scriptedModel, type ScriptedStep } from '@rondo/runtime/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { HookInput } from '../hooks/hook-input.ts';
import type { Options } from '../options/options.ts';
import { query } from '../query.ts';
import { getSessionMessages } from '../sessions/get-session-messages.ts';
import { collectMessages } from '../testing/collect-messages.ts';

// A busy machine takes its time with whole queries.
vi.setConfig({ testTimeout: 60_000 });

let root = '';
let homes = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'rondo-transcript-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

function setUp(steps: readonly ScriptedStep[], more: Options = {}) {
  homes += 1;
  const home = join(root, `home-${homes}`);
  const options: Options = {
    model: scriptedModel(steps),
    home,
    cwd: root,
    tools: ['Read'],
    settingSources: [],
    env: { PATH: process.env['PATH'] },
    ...more,
  };
  return {
    home,
    options,
    ask: (prompt: string, now: Options = {}) => collectMessages(query({ prompt, options: { ...options, ...now } })),
  };
}

interface Line {
  type: string;
  uuid: string;
  parentUuid: string | null;
  message: { role: string; content: unknown; stop_reason?: string };
}

const linesOf = (text: string): Line[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
let file = '';
beforeAll(() => {
  file = join(root, 'file.txt');
  writeFileSync(file, 'text');
});
const readFile = (): ScriptedStep => call('Read', { file_path: file });

describe('the transcript that hooks are told of', () => {
  test('a command of Stop finds the last answer in it', async () => {
    const out = join(root, 'found.txt');
    const command = `path=$(sed -n 's/.*"transcript_path":"\\([^"]*\\)".*/\\1/p'); grep '"type":"assistant"' "$path" | tail -1 > ${out}`;
    const { ask } = setUp([say('the answer is 42')], {
      settings: { hooks: { Stop: [{ hooks: [{ type: 'command', command }] }] } },
    });
    await ask('what is it?');
    const found = JSON.parse(readFileSync(out, 'utf8')) as Line;
    expect(found).toMatchObject({
      type: 'assistant',
      isSidechain: false,
      cwd: root,
      userType: 'external',
      message: { role: 'assistant', stop_reason: 'end_turn', content: [{ type: 'text', text: 'the answer is 42' }] },
    });
  });

  test('says at each hook all that was said until then, and what getSessionMessages says', async () => {
    const seen: string[] = [];
    const hook = (text: HookInput): Promise<object> => {
      const lines = linesOf(readFileSync(text.transcript_path, 'utf8'));
      seen.push(`${text.hook_event_name}: ${lines.map((line) => line.type).join(' ')}`);
      return Promise.resolve({});
    };
    const events = ['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop', 'SessionEnd'] as const;
    const { ask, home } = setUp([readFile(), say('done'), say('again')], {
      hooks: Object.fromEntries(events.map((event) => [event, [{ hooks: [hook] }]])),
    });
    const lines = await ask('go');
    const sessionId = lines[0]?.session_id ?? '';
    expect(seen).toEqual([
      'UserPromptSubmit: user',
      // A call is judged while its reply is still on its way.
      'PreToolUse: user',
      'PostToolUse: user assistant',
      'Stop: user assistant user assistant',
      'SessionEnd: user assistant user assistant',
    ]);
    const path = join(home, 'sessions', sessionId, 'transcript.jsonl');
    const written = linesOf(readFileSync(path, 'utf8'));
    const messages = await getSessionMessages(sessionId, { home });
    expect(written.map(({ uuid }) => uuid)).toEqual(messages.map(({ uuid }) => uuid));
    expect(written.map(({ parentUuid }) => parentUuid)).toEqual([
      null,
      ...written.slice(0, -1).map(({ uuid }) => uuid),
    ]);
  });

  test.each([
    ['deleted', (path: string) => rmSync(path)],
    ['cut short', (path: string) => writeFileSync(path, readFileSync(path).subarray(0, 40))],
    ['replaced by something else', (path: string) => writeFileSync(path, 'x'.repeat(10_000))],
  ])('is whole again after it was %s, and nothing else changes', async (_how, damage) => {
    const texts: string[] = [];
    let isDamaged = false;
    const hook = (given: HookInput): Promise<object> => {
      texts.push(readFileSync(given.transcript_path, 'utf8'));
      if (!isDamaged) damage(given.transcript_path);
      isDamaged = true;
      return Promise.resolve({});
    };
    const { ask, home } = setUp([readFile(), say('done'), say('again')], {
      hooks: { PostToolUse: [{ hooks: [hook] }], Stop: [{ hooks: [hook] }] },
    });
    const sessionId = (await ask('go'))[0]?.session_id ?? '';
    const path = join(home, 'sessions', sessionId, 'transcript.jsonl');
    damage(path);
    await ask('more', { resume: sessionId });
    const messages = await getSessionMessages(sessionId, { home });
    expect(linesOf(texts.at(-1) ?? '').map(({ uuid }) => uuid)).toEqual(messages.map(({ uuid }) => uuid));
    expect(texts.map((text) => linesOf(text).length)).toEqual([2, 4, 6]);
  });

  test('branches of a session are branches of its lines', async () => {
    let text = '';
    const hook = (given: HookInput): Promise<object> => {
      text = readFileSync(given.transcript_path, 'utf8');
      return Promise.resolve({});
    };
    const { ask, home } = setUp([say('one'), say('two'), say('three')], { hooks: { Stop: [{ hooks: [hook] }] } });
    const sessionId = (await ask('first'))[0]?.session_id ?? '';
    await ask('second', { resume: sessionId });
    const [, one] = await getSessionMessages(sessionId, { home });
    await ask('another', { resume: sessionId, resumeSessionAt: one?.uuid ?? '' });
    const lines = linesOf(text);
    expect(lines).toHaveLength(6);
    expect(lines[4]?.parentUuid).toBe(one?.uuid);
  });

  test('is not written where no hook is told of it', async () => {
    const { ask, home } = setUp([say('hello')]);
    const sessionId = (await ask('hi'))[0]?.session_id ?? '';
    const log = join(home, 'sessions', sessionId, 'log.jsonl');
    expect(existsSync(log)).toBe(true);
    expect(existsSync(join(dirname(log), 'transcript.jsonl'))).toBe(false);
  });

  test('only its owner may read it', async () => {
    let mode = 0;
    const hook = (given: HookInput): Promise<object> => {
      ({ mode } = statSync(given.transcript_path));
      return Promise.resolve({});
    };
    await setUp([say('hello')], { hooks: { Stop: [{ hooks: [hook] }] } }).ask('hi');
    expect(mode & 0o077).toBe(0);
  });
});
