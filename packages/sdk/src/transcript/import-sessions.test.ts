import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { say, scriptedModel } from '@rondo/runtime/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Options } from '../options/options.ts';
import { query } from '../query.ts';
import { getSessionInfo } from '../sessions/get-session-info.ts';
import { getSessionMessages } from '../sessions/get-session-messages.ts';
import { listSessions } from '../sessions/list-sessions.ts';
import { collectMessages } from '../testing/collect-messages.ts';
import { foreignTranscript, result, text, toolUse } from '../testing/foreign-transcript.ts';
import { importSessions } from './import-sessions.ts';

// A busy machine takes its time with whole queries.
vi.setConfig({ testTimeout: 60_000 });

let root = '';
let homes = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'rondo-import-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

function newHome(): string {
  homes += 1;
  return join(root, `home-${homes}`);
}

const transcript = (sessionId?: string) => foreignTranscript(root, sessionId);

describe('a transcript that is imported', () => {
  test('is a session: listed, read with its uuids, and gone on with by any model', async () => {
    const home = newHome();
    const one = transcript();
    one.other('queue-operation', { operation: 'enqueue' });
    const first = one.user('list the files');
    one.other('attachment', { attachment: { type: 'environment' } });
    const thought = one.reply({ type: 'thinking', thinking: 'hm', signature: 'sig' }, 'msg_1');
    const call = one.reply(toolUse('toolu_1'), 'msg_1');
    const answer = one.user(result('toolu_1', 'a.txt'), { toolUseResult: { stdout: 'a.txt', stderr: '' } });
    const said = one.reply(text('There is a.txt.'), 'msg_2');
    const picture = one.user([
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
      text('what is this?'),
    ]);
    const last = one.reply(text('A picture.'), 'msg_3');
    one.lines.push({ type: 'custom-title', customTitle: 'Files', sessionId: one.sessionId });
    one.lines.push({ type: 'summary', summary: 'old', leafUuid: first });
    const file = await one.write('whole.jsonl');

    const dry = await importSessions([file], { home, dryRun: true });
    expect(dry.sessions).toMatchObject([{ sessionId: one.sessionId, outcome: 'made', lines: 7 }]);
    expect(await listSessions({ home })).toEqual([]);

    const report = await importSessions([file], { home });
    expect(report.problems).toEqual([]);
    expect(report.sessions).toMatchObject([
      {
        sessionId: one.sessionId,
        outcome: 'made',
        lines: 7,
        leftOut: { 'lines of type queue-operation': 1, 'lines of type attachment': 1, 'lines of type summary': 1 },
      },
    ]);
    expect(await listSessions({ home })).toMatchObject([
      {
        sessionId: one.sessionId,
        customTitle: 'Files',
        firstPrompt: 'list the files',
        cwd: '/home/ada/project',
        createdAt: Date.parse('2026-01-02T03:02:00.000Z'),
      },
    ]);
    const messages = await getSessionMessages(one.sessionId, { home });
    expect(messages.map(({ uuid }) => uuid)).toEqual([first, thought, call, answer, said, picture, last]);
    expect(messages[1]?.message).toMatchObject({
      id: 'msg_1',
      model: 'claude-test-1',
      content: [{ signature: 'sig' }],
    });

    const model = scriptedModel([say('gone on')]);
    const options: Options = { model, home, cwd: root, tools: [], settingSources: [], env: {}, resume: one.sessionId };
    await collectMessages(query({ prompt: 'more', options }));
    const asked = JSON.stringify(model.requests[0]?.messages);
    for (const words of ['list the files', 'There is a.txt.', 'A picture.', 'more']) expect(asked).toContain(words);
    // The reasoning of another model goes to nobody.
    expect(asked).not.toContain('"sig"');

    const again = await importSessions([file], { home });
    expect(again.sessions).toMatchObject([{ outcome: 'known', lines: 0 }]);
    expect(await getSessionMessages(one.sessionId, { home })).toHaveLength(9);
  });

  test('has the calls that were made at once, and the newest branch alone', async () => {
    const home = newHome();
    const one = transcript();
    const first = one.user('go');
    const a = one.reply(toolUse('toolu_a'), 'msg_1');
    const b = one.reply(toolUse('toolu_b'), 'msg_1');
    one.at(a);
    const ofA = one.user(result('toolu_a', 'A'));
    one.at(b);
    const ofB = one.user(result('toolu_b', 'B', { is_error: true }));
    const done = one.reply(text('done'), 'msg_2');
    one.user('left behind');
    one.reply(text('also left behind'), 'msg_3');
    one.at(done);
    const other = one.user('the other way');
    const end = one.reply(text('the end'), 'msg_4');
    one.user('in a subagent', { isSidechain: true });
    const report = await importSessions([await one.write('branches.jsonl')], { home });
    expect(report.sessions[0]?.leftOut).toEqual({
      'lines of other branches, or before a summary': 2,
      'lines of subagents': 1,
    });
    const messages = await getSessionMessages(one.sessionId, { home });
    expect(messages.map(({ uuid }) => uuid)).toEqual([first, a, b, ofA, ofB, done, other, end]);
  });

  test('gets what was said since, when it is imported again, and not where it went on otherwise here', async () => {
    const home = newHome();
    const one = transcript();
    one.user('first');
    one.reply(text('one'), 'msg_1');
    const file = await one.write('grows.jsonl');
    await importSessions([file], { home });
    one.user('second');
    one.reply(text('two'), 'msg_2');
    await one.write('grows.jsonl');
    expect((await importSessions([file], { home })).sessions).toMatchObject([{ outcome: 'added to', lines: 2 }]);
    expect(await getSessionMessages(one.sessionId, { home })).toHaveLength(4);
    const model = scriptedModel([say('here')]);
    const options: Options = { model, home, cwd: root, tools: [], settingSources: [], env: {}, resume: one.sessionId };
    await collectMessages(query({ prompt: 'more', options }));
    one.user('third');
    one.reply(text('three'), 'msg_3');
    await one.write('grows.jsonl');
    const [refused] = (await importSessions([file], { home })).sessions;
    expect(refused?.error).toMatchObject({ code: 'session.exists' });
  });

  test('says file and line of what cannot be read, and takes the rest', async () => {
    const home = newHome();
    const one = transcript();
    one.user('first');
    one.lines.push({ noType: true });
    one.reply(text('x'.repeat(3_000_000)), 'msg_1');
    const two = transcript();
    two.user('of another session');
    two.reply(text('yes'), 'msg_9');
    one.lines.push(...two.lines);
    const file = await one.write('odd.jsonl', '{"type":"user","message":{"role":"us');
    const report = await importSessions([file], { home });
    expect(report.sessions.map(({ outcome }) => outcome)).toEqual(['made', 'made']);
    expect(report.problems).toEqual([
      expect.stringContaining(`${file}:2: is no line of a transcript`) as string,
      expect.stringContaining(`${file}:6: is no JSON`) as string,
    ]);
    const info = await getSessionInfo(two.sessionId, { home });
    expect(info).toMatchObject({ firstPrompt: 'of another session' });
  });

  test('loses nothing but the line that is damaged', async () => {
    const home = newHome();
    const one = transcript();
    const first = one.user('first');
    one.reply(text('damaged'), 'msg_1');
    const second = one.user('second');
    const two = one.reply(text('two'), 'msg_2');
    const file = await one.write('damaged.jsonl');
    const damaged = (await readFile(file, 'utf8')).split('\n').map((line, at) => (at === 1 ? line.slice(0, 90) : line));
    await writeFile(file, damaged.join('\n'));
    const report = await importSessions([file], { home });
    expect(report.problems).toEqual([expect.stringContaining(`${file}:2: is no JSON`) as string]);
    expect((await getSessionMessages(one.sessionId, { home })).map(({ uuid }) => uuid)).toEqual([first, second, two]);
  });

  test('from a file that is not there is an error', async () => {
    await expect(importSessions([join(root, 'none.jsonl')], { home: newHome() })).rejects.toThrow(
      'none.jsonl cannot be read',
    );
  });
});
