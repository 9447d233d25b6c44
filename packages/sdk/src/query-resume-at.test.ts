import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SDKMessage, SessionMessage } from '@rondo/protocol';
import { say, scriptedModel, type ScriptedStep } from '@rondo/runtime/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Options } from './options/options.ts';
import { query } from './query.ts';
import { getSessionInfo } from './sessions/get-session-info.ts';
import { getSessionMessages } from './sessions/get-session-messages.ts';
import { listSessions } from './sessions/list-sessions.ts';
import { readSessionMessages } from './sessions/read-session-messages.ts';
import { verifySession } from './sessions/verify-session.ts';
import { collectMessages } from './testing/collect-messages.ts';

// A busy machine takes its time with whole queries.
vi.setConfig({ testTimeout: 60_000 });

let root = '';
let homes = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'rondo-resume-at-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

function setUp(steps: readonly ScriptedStep[]) {
  homes += 1;
  const home = join(root, `home-${homes}`);
  const model = scriptedModel(steps);
  const options: Options = {
    model,
    home,
    cwd: root,
    tools: [],
    settingSources: [],
    env: { PATH: process.env['PATH'] },
  };
  const ask = (prompt: string, more: Options = {}) =>
    collectMessages(query({ prompt, options: { ...options, ...more } }));
  return { home, model, options, ask };
}

const idOf = (lines: readonly SDKMessage[]): string => lines[0]?.session_id ?? '';
const textOf = ({ message }: SessionMessage): string => {
  const { content } = message as { content: string | readonly { text?: string }[] };
  return typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('');
};
const uuidOf = (messages: readonly SessionMessage[], text: string): string =>
  messages.find((message) => textOf(message) === text)?.uuid ?? '';

async function twoTurns() {
  const scene = setUp([say('one'), say('two'), say('three'), say('four')]);
  const id = idOf(await scene.ask('first'));
  await scene.ask('second', { resume: id });
  return { ...scene, id, before: await getSessionMessages(id, { home: scene.home }) };
}

describe('resumeSessionAt', () => {
  test('goes on from a message in the same session, and its messages follow the newest branch', async () => {
    const { ask, home, model, id, before } = await twoTurns();
    const lines = await ask('another', { resume: id, resumeSessionAt: uuidOf(before, 'one') });
    expect(idOf(lines)).toBe(id);
    expect(
      model.requests
        .at(-1)
        ?.messages.map(({ content }) => JSON.stringify(content))
        .join(),
    ).not.toContain('second');
    const after = await getSessionMessages(id, { home });
    expect(after.map(textOf)).toEqual(['first', 'one', 'another', 'three']);
    expect(after.slice(0, 2)).toEqual(before.slice(0, 2));
    const read: SessionMessage[] = [];
    for await (const message of readSessionMessages(id, { home })) read.push(message);
    expect(read.map(textOf)).toEqual(['first', 'one', 'another', 'three']);
    expect(await listSessions({ home })).toHaveLength(1);
    // What the branch left behind is still there to go back to.
    await ask('third', { resume: id, resumeSessionAt: uuidOf(before, 'two') });
    expect((await getSessionMessages(id, { home })).map(textOf)).toEqual([
      'first',
      'one',
      'second',
      'two',
      'third',
      'four',
    ]);
  });

  test('takes the message of a person too', async () => {
    const { ask, home, id, before } = await twoTurns();
    await ask('another', { resume: id, resumeSessionAt: uuidOf(before, 'second') });
    const after = await getSessionMessages(id, { home });
    expect(after.map(textOf)).toEqual(['first', 'one', 'second', 'another', 'three']);
  });

  test('with forkSession goes on in a new session, which leaves the old one as it is', async () => {
    const { ask, home, id, before } = await twoTurns();
    const at = uuidOf(before, 'one');
    const fork = idOf(await ask('another', { resume: id, resumeSessionAt: at, forkSession: true }));
    expect(fork).not.toBe(id);
    const copied = await getSessionMessages(fork, { home });
    expect(copied.map(textOf)).toEqual(['first', 'one', 'another', 'three']);
    expect(copied.slice(0, 2).map(({ uuid }) => uuid)).toEqual(before.slice(0, 2).map(({ uuid }) => uuid));
    expect(await getSessionMessages(id, { home })).toEqual(before);
  });

  test('of a message that the session does not have says which it has', async () => {
    const { ask, id, before, model } = await twoTurns();
    const asked = model.requests.length;
    const uuid = '00000000-0000-4000-8000-000000000000';
    await expect(ask('another', { resume: id, resumeSessionAt: uuid })).rejects.toMatchObject({
      code: 'input.invalid',
      message: expect.stringContaining(`${before.at(-1)?.uuid} (assistant: two)`) as string,
      details: { option: 'resumeSessionAt', uuid, sessionId: id },
    });
    expect(model.requests).toHaveLength(asked);
  });

  test('needs resume, and a uuid', async () => {
    const { ask, options } = setUp([]);
    const resumeSessionAt = '00000000-0000-4000-8000-000000000000';
    expect(() => query({ prompt: 'x', options: { ...options, resumeSessionAt } })).toThrow('needs resume');
    await expect(async () => await ask('x', { continue: true, resumeSessionAt })).rejects.toThrow('needs resume');
    expect(() =>
      query({ prompt: 'x', options: { ...options, resume: resumeSessionAt, resumeSessionAt: 'msg_1' } }),
    ).toThrow('the uuid of a message');
  });

  test('of a long session leaves its log, its snapshot and its index as they should be', async () => {
    const long = 'x'.repeat(400_000);
    const { ask, home } = setUp([
      say(`one ${long}`),
      say(`two ${long}`),
      say(`three ${long}`),
      say('four'),
      say('five'),
    ]);
    const id = idOf(await ask(`first ${long}`));
    await ask(`second ${long}`, { resume: id });
    const [, reply] = await getSessionMessages(id, { home });
    await ask(`another ${long}`, { resume: id, resumeSessionAt: reply?.uuid ?? '' });
    expect((await verifySession(id, { home })).problems).toEqual([]);
    await ask('more', { resume: id });
    const messages = await getSessionMessages(id, { home });
    expect(messages).toHaveLength(6);
    const [, , , third] = messages;
    await ask('and more', { resume: id, resumeSessionAt: third?.uuid ?? '' });
    expect((await verifySession(id, { home })).problems).toEqual([]);
    expect(await getSessionMessages(id, { home })).toHaveLength(6);
  });

  test('the session is named as before', async () => {
    const { ask, home, id, before } = await twoTurns();
    await ask('another', { resume: id, resumeSessionAt: uuidOf(before, 'one') });
    expect(await getSessionInfo(id, { home })).toMatchObject({ sessionId: id, firstPrompt: 'first' });
  });
});
