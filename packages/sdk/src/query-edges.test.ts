import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { SDKMessage } from '@rondo/protocol';
import { call, say, scriptedModel, type ScriptedStep, stall } from '@rondo/runtime/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { laterOptions, needlessOptions, servedOptions } from './options/option-table.ts';
import type { Options } from './options/options.ts';
import { query } from './query.ts';
import { getSessionInfo } from './sessions/get-session-info.ts';
import { listSessions } from './sessions/list-sessions.ts';
import { renameSession } from './sessions/update-session.ts';
import { collectMessages } from './testing/collect-messages.ts';
import { conversation } from './testing/conversation.ts';
import { streamOf, userMessage } from './testing/prompt-stream.ts';

// A busy machine takes its time to load what a session needs.
vi.setConfig({ testTimeout: 60_000 });

let root = '';
let homes = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'rondo-edges-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

function setUp(steps: readonly ScriptedStep[], more: Options = {}) {
  homes += 1;
  const home = join(root, `home-${homes}`);
  const model = scriptedModel(steps);
  const options: Options = { model, home, cwd: root, tools: [], settingSources: [], env: {}, ...more };
  return { home, model, options };
}

const idOf = (lines: readonly SDKMessage[]): string => lines[0]?.session_id ?? '';

describe('options', () => {
  test('that are given as undefined are as if left out', async () => {
    const { options } = setUp([say('1')]);
    const names = [...Object.keys(servedOptions), ...Object.keys(needlessOptions), ...laterOptions];
    const absent = Object.fromEntries(names.map((name) => [name, undefined]));
    const lines = await collectMessages(query({ prompt: 'go', options: { ...absent, ...options } as Options }));
    expect(lines.map(({ type }) => type)).toEqual(['system', 'assistant', 'result']);
    expect(lines.at(-1)).toMatchObject({ result: '1' });
  });

  test('forkSession without a session to fork begins one', async () => {
    const { options, home } = setUp([say('1')], {
      forkSession: true,
      sessionId: 'f0000000-0000-4000-8000-00000000000a',
    });
    const lines = await collectMessages(query({ prompt: 'go', options }));
    expect(idOf(lines)).toBe(options.sessionId);
    expect(await listSessions({ home })).toHaveLength(1);
  });

  test('title names a session that is resumed where it has no name, and a fork', async () => {
    const { options, home } = setUp([say('1'), say('2'), say('3'), say('4')]);
    const resume = idOf(await collectMessages(query({ prompt: 'go', options })));
    const named = await collectMessages(query({ prompt: 'go', options: { ...options, resume, title: 'First' } }));
    expect(named[0]).toMatchObject({ subtype: 'init' });
    expect(await getSessionInfo(resume, { home })).toMatchObject({ customTitle: 'First', summary: 'First' });
    await collectMessages(query({ prompt: 'go', options: { ...options, continue: true, title: 'Second' } }));
    expect(await getSessionInfo(resume, { home })).toMatchObject({ customTitle: 'First' });
    await renameSession(resume, 'Third', { home });
    const fork = await collectMessages(
      query({ prompt: 'go', options: { ...options, resume, forkSession: true, title: 'Fourth' } }),
    );
    expect(await getSessionInfo(idOf(fork), { home })).toMatchObject({ customTitle: 'Fourth' });
    expect(await getSessionInfo(resume, { home })).toMatchObject({ customTitle: 'Third' });
  });

  test('a controller that was aborted before leaves no session behind', async () => {
    const { options, home, model } = setUp([say('never')], { abortController: new AbortController() });
    options.abortController?.abort();
    await expect(collectMessages(query({ prompt: 'hi', options }))).rejects.toMatchObject({ name: 'AbortError' });
    expect(model.requests).toEqual([]);
    expect(await listSessions({ home })).toEqual([]);
  });
});

describe('the iteration', () => {
  test('of a query that has ended gives nothing more, however it is asked', async () => {
    const { options } = setUp([say('1')]);
    const running = query({ prompt: 'go', options });
    expect(await collectMessages(running)).toHaveLength(3);
    expect(await collectMessages(running)).toEqual([]);
    expect(await running.next()).toEqual({ done: true, value: undefined });
    expect(await running.return()).toEqual({ done: true, value: undefined });
    running.close();
    running.close();
    await running.leave();
    await running[Symbol.asyncDispose]();
    expect(await running.next()).toEqual({ done: true, value: undefined });
  });

  test('that two share gives each line to one of them', async () => {
    const { options } = setUp([say('1')]);
    const running = query({ prompt: 'go', options });
    const [one, other] = await Promise.all([collectMessages(running), collectMessages(running)]);
    expect([...one, ...other].map(({ type }) => type).sort()).toEqual(['assistant', 'result', 'system']);
  });

  test.each(['before the first line', 'behind it'])('that is left by throw() %s stops the turn', async (when) => {
    const { options, home } = setUp([[say('x'), stall()], say('two')]);
    const running = query({ prompt: streamOf('go'), options });
    if (when === 'behind it') await running.next();
    const why = new Error('enough');
    await expect(running.throw(why)).rejects.toBe(why);
    expect(await running.next()).toEqual({ done: true, value: undefined });
    await expect(running.interrupt()).rejects.toMatchObject({ code: 'channel.closed' });
    const [session] = await listSessions({ home });
    if (session === undefined) return;
    const again = await collectMessages(query({ prompt: 'more', options: { ...options, resume: session.sessionId } }));
    expect(again.at(-1)).toMatchObject({ result: expect.any(String) });
  });

  test('that waits ends when another leaves it', async () => {
    const { options } = setUp([[say('x'), stall()]]);
    const running = query({ prompt: 'go', options });
    await running.next();
    const waiting = running.next();
    await running.return();
    expect(await waiting).toEqual({ done: true, value: undefined });
  });
});

describe('methods before anything was said', () => {
  test('answer, and streamInput says the first message', async () => {
    const talk = conversation(setUp([say('1'), say('2')]).options);
    expect(await talk.query.interrupt()).toEqual({ still_queued: [] });
    expect(await talk.query.mcpServerStatus()).toEqual([]);
    expect(await talk.query.setMcpServers({})).toEqual({ added: [], removed: [], errors: {} });
    await talk.query.setMaxThinkingTokens(null);
    await talk.query.applyFlagSettings({});
    await talk.query.streamInput(streamOf('hello'));
    expect(await talk.until((line) => line.type === 'result')).toMatchObject({ result: '1' });
    expect(await talk.ask('more')).toMatchObject({ result: '2' });
    await talk.end();
  });

  test('what asks for no answer is said with the next message, whichever stream says that', async () => {
    const notes: string[] = [];
    const { options, model } = setUp([say('1'), say('2')], { stderr: (text) => notes.push(text) });
    const talk = conversation(options);
    const silent = async function* (text: string) {
      yield userMessage(text, { shouldQuery: false });
    };
    await talk.query.streamInput(silent('It rains.'));
    await talk.query.streamInput(silent('It is late.'));
    await talk.ask('go');
    const last = model.requests[0]?.messages.findLast(({ role }) => role === 'user');
    const texts = last?.content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
    expect(texts?.slice(-3)).toEqual(['It rains.', 'It is late.', 'go']);
    expect(notes).toEqual([]);
    await talk.query.streamInput(silent('Nobody asks.'));
    await talk.end();
    expect(notes.join('')).toContain('shouldQuery: false');
    expect(model.requests).toHaveLength(1);
  });

  test('streamInput beside one prompt says more', async () => {
    const { options } = setUp([say('1'), say('2')]);
    const running = query({ prompt: 'go', options });
    const said = running.streamInput(streamOf('more'));
    const results = (await collectMessages(running)).filter(({ type }) => type === 'result');
    await said;
    expect(results.length).toBeGreaterThan(0);
  });
});

describe('what a model is told', () => {
  const requestOf = async (more: Options) => {
    const { options, model } = setUp([say('1')], more);
    await collectMessages(query({ prompt: 'go', options }));
    return model.requests[0];
  };

  test.each<[Options, object | undefined]>([
    [{}, undefined],
    [{ thinking: { type: 'enabled', budgetTokens: 2000 } }, { type: 'enabled', budgetTokens: 2000 }],
    [{ thinking: { type: 'disabled' } }, { type: 'disabled' }],
    [{ maxThinkingTokens: 3000 }, { type: 'enabled', budgetTokens: 3000 }],
    [{ maxThinkingTokens: 0 }, { type: 'disabled' }],
    [{ thinking: { type: 'adaptive' }, maxThinkingTokens: 3000 }, { type: 'adaptive' }],
  ])('of thinking by %j', async (options, thinking) => {
    expect((await requestOf(options))?.thinking).toEqual(thinking);
  });

  test.each<[Options, object]>([
    [{}, { type: 'adaptive' }],
    [{ settings: { alwaysThinkingEnabled: true } }, { type: 'adaptive' }],
    [{ settings: { alwaysThinkingEnabled: false } }, { type: 'disabled' }],
    [{ settings: { alwaysThinkingEnabled: false }, thinking: { type: 'adaptive' } }, { type: 'adaptive' }],
    [{ thinking: { type: 'disabled' } }, { type: 'disabled' }],
    [{ maxThinkingTokens: 0 }, { type: 'disabled' }],
    [{ maxThinkingTokens: 3000 }, { type: 'enabled', budgetTokens: 3000 }],
  ])('of thinking by %j, where the model decides by itself how much', async (more, thinking) => {
    const { options, model } = setUp([say('1')], more);
    Object.assign(model, { thinksAdaptively: true });
    await collectMessages(query({ prompt: 'go', options }));
    expect(model.requests[0]?.thinking).toEqual(thinking);
  });

  test('of thinking in a recording, which is played to whoever says as little', async () => {
    const record = join(root, 'thought.yaml');
    const { options, model } = setUp([say('1')], { record });
    Object.assign(model, { thinksAdaptively: true });
    await collectMessages(query({ prompt: 'go', options }));
    expect(model.requests[0]?.thinking).toEqual({ type: 'adaptive' });
    const { record: _, ...again } = options;
    const lines = await collectMessages(query({ prompt: 'go', options: { ...again, model: `scripted/${record}` } }));
    expect(lines.at(-1)).toMatchObject({ subtype: 'success', result: '1' });
  });

  test.each(['low', 'medium', 'high', 'xhigh', 'max'] as const)('of its effort: %s', async (effort) => {
    expect((await requestOf({ effort }))?.effort).toBe(effort);
    expect((await requestOf({}))?.effort).toBeUndefined();
  });

  test('first is the system prompt: ours, the preset with what is added, or the program’s, which may say nothing', async () => {
    const preset = { type: 'preset', preset: 'claude_code' } as const;
    const minimal = (await requestOf({}))?.system;
    const coding = (await requestOf({ systemPrompt: preset }))?.system;
    expect(minimal).not.toBe(coding);
    expect((await requestOf({ systemPrompt: { ...preset, append: 'Speak French.' } }))?.system).toBe(
      `${coding}\n\nSpeak French.`,
    );
    expect((await requestOf({ systemPrompt: { ...preset, excludeDynamicSections: true } }))?.system).toBe(coding);
    expect((await requestOf({ systemPrompt: 'Be brief.' }))?.system).toBe('Be brief.');
    expect((await requestOf({ systemPrompt: '' }))?.system).toBe('');
  });
});

describe('additionalDirectories', () => {
  test('may be read unasked, and relative ones are beside cwd', async () => {
    const beside = await mkdtemp(join(root, 'beside-'));
    const work = await mkdtemp(join(root, 'work-'));
    await writeFile(join(beside, 'a.txt'), 'alpha\n');
    const read = call('Read', { file_path: join(beside, 'a.txt') });
    const resultOf = async (more: Options) => {
      const { options } = setUp([read, say('done')], { cwd: work, tools: ['Read'], ...more });
      const lines = await collectMessages(query({ prompt: 'go', options }));
      return JSON.stringify(lines.find(({ type }) => type === 'user'));
    };
    expect(await resultOf({ additionalDirectories: [join('..', basename(beside))] })).toContain('alpha');
    expect(await resultOf({ additionalDirectories: [] })).not.toContain('alpha');
    const wrong = query({ prompt: 'go', options: setUp([], { additionalDirectories: ['nowhere'] }).options });
    await expect(collectMessages(wrong)).rejects.toMatchObject({ details: { option: 'additionalDirectories' } });
  });
});
