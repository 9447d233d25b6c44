import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { getSessionMessages } from '../sessions/get-session-messages.ts';
import { withHome } from '../sessions/with-home.ts';
import { InMemorySessionStore } from '../store/in-memory-session-store.ts';
import { foreignTranscript, result, text } from '../testing/foreign-transcript.ts';
import { spawnSubagents } from '../testing/subagent-stage.ts';
import { agentIdOf } from './agent-id.ts';
import { importSessions } from './import-sessions.ts';

// A busy machine takes its time with whole sessions.
vi.setConfig({ testTimeout: 60_000 });

let root = '';
let homes = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'rondo-import-below-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

async function newFolder(): Promise<string> {
  homes += 1;
  const folder = join(root, `folder-${homes}`);
  await mkdir(folder);
  return folder;
}

async function childrenOf(sessionId: string, home: string) {
  return await withHome({ home }, async (client) => {
    const { sessions } = await client.request('session/list', { scope: 'tree', root: sessionId });
    return sessions.filter(({ id }) => id !== sessionId);
  });
}

const task = (id: string) => ({ type: 'tool_use', id, name: 'Agent', input: { prompt: 'look' } });
const agentId = 'a17f0c2b9e4d5566';

/** A session that handed something on, and the subagent's lines as they lie beside it. */
async function withSubagent(folder: string) {
  const own = foreignTranscript(folder);
  const first = own.user('go');
  own.reply(task('toolu_1'), 'msg_1');
  own.user(result('toolu_1', 'found it'), { toolUseResult: { status: 'completed', agentId } });
  own.reply(text('It is there.'), 'msg_2');
  const below = foreignTranscript(folder, own.sessionId, { isSidechain: true, agentId });
  const asked = below.user('look');
  const answered = below.reply(text('found it'), 'msg_a1');
  const write = async () => {
    await below.write(join(own.sessionId, 'subagents', `agent-${agentId}.jsonl`));
    const meta = join(folder, own.sessionId, 'subagents', `agent-${agentId}.meta.json`);
    await writeFile(meta, JSON.stringify({ agentType: 'general-purpose', description: 'look' }));
    return await own.write(`${own.sessionId}.jsonl`);
  };
  return { own, below, first, uuids: [asked, answered], write };
}

describe('subagents beside a transcript', () => {
  test('are sessions below its own: of the call that started them, ended, of their kind, and as they were said', async () => {
    const home = await newFolder();
    const { own, uuids, write } = await withSubagent(await newFolder());
    const file = await write();
    const dry = await importSessions([file], { home, dryRun: true });
    expect(dry).toMatchObject({ problems: [], sessions: [{ outcome: 'made', lines: 4, subagents: 1, leftOut: {} }] });
    const report = await importSessions([file], { home });
    expect(report).toMatchObject({
      problems: [],
      sessions: [{ outcome: 'made', lines: 4, subagents: 1, leftOut: {} }],
    });
    const [child, ...others] = await childrenOf(own.sessionId, home);
    expect(others).toEqual([]);
    expect(child).toMatchObject({ parentId: own.sessionId, status: 'terminated', agentName: 'general-purpose' });
    const messages = await getSessionMessages(child?.id ?? '', { home });
    expect(messages.map(({ uuid }) => uuid)).toEqual(uuids);
    expect(await getSessionMessages(own.sessionId, { home })).toHaveLength(4);
    const events = await withHome({ home }, async (client) => [
      ...(await client.request('events/read', { sessionId: own.sessionId })).events,
      ...(await client.request('events/read', { sessionId: child?.id ?? '' })).events,
    ]);
    const call = events.find((event) => event.type === 'tool.completed');
    const created = events.find((event) => event.type === 'session.created' && event.parentId === own.sessionId);
    expect(created).toMatchObject({ spawnedBy: { callId: call?.type === 'tool.completed' && call.callId } });
    // The session's own end is the last that happened in it.
    const info = await withHome({ home }, (client) => client.session(own.sessionId).read());
    expect(info.updatedAt).toBe(own.lines.at(-1)?.['timestamp']);
  });

  test('are imported once, get what was said since, and come to a session that was imported without them', async () => {
    const home = await newFolder();
    const { own, below, uuids, write } = await withSubagent(await newFolder());
    const alone = await own.write('alone.jsonl');
    expect((await importSessions([alone], { home })).sessions).toMatchObject([{ subagents: 0 }]);
    const file = await write();
    expect((await importSessions([file], { home })).sessions).toMatchObject([{ outcome: 'added to', subagents: 1 }]);
    expect((await importSessions([file], { home })).sessions).toMatchObject([{ outcome: 'known', subagents: 0 }]);
    const more = [below.user('and now?'), below.reply(text('still there'), 'msg_a2')];
    await write();
    expect((await importSessions([file], { home })).sessions).toMatchObject([{ outcome: 'added to', subagents: 1 }]);
    const [child] = await childrenOf(own.sessionId, home);
    expect((await getSessionMessages(child?.id ?? '', { home })).map(({ uuid }) => uuid)).toEqual([...uuids, ...more]);
    expect(child?.status).toBe('terminated');
  });

  test('may stand among its lines, or be given as files of their own, in whatever order', async () => {
    const folder = await newFolder();
    const { own, below } = await withSubagent(folder);
    const apart = [await below.write(`agent-${agentId}.jsonl`), await own.write('own.jsonl')];
    const one = await newFolder();
    const report = await importSessions(apart, { home: one });
    expect(report.sessions).toMatchObject([{ outcome: 'made' }, { outcome: 'added to', lines: 0, subagents: 1 }]);
    expect(await childrenOf(own.sessionId, one)).toHaveLength(1);
    own.lines.push(...below.lines);
    const two = await newFolder();
    expect((await importSessions([await own.write('both.jsonl')], { home: two })).sessions).toMatchObject([
      { outcome: 'made', lines: 4, subagents: 1, leftOut: {} },
    ]);
    expect(
      (await importSessions(apart.slice(0, 1), { home: await newFolder() })).sessions[0]?.error?.message,
    ).toContain('says nothing itself');
  });

  test('of this program, from the folder of a home or out of a store, have the same sessions again', async () => {
    const here = await newFolder();
    const store = new InMemorySessionStore();
    const { sessionId, below } = await spawnSubagents(here, store);
    const folder = await newFolder();
    const key = { projectKey: here.replace(/[^A-Za-z0-9]/g, '-'), sessionId };
    const names = new Map<string | undefined, string>([[undefined, 'transcript.jsonl']]);
    for (const subpath of await store.listSubkeys(key)) names.set(subpath, `${subpath}.jsonl`);
    for (const [subpath, name] of names) {
      const path = join(folder, name);
      await mkdir(dirname(path), { recursive: true });
      const entries = (await store.load(subpath === undefined ? key : { ...key, subpath })) ?? [];
      await writeFile(path, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
    }
    const home = await newFolder();
    const report = await importSessions([join(folder, 'transcript.jsonl')], { home });
    expect(report).toMatchObject({ problems: [], sessions: [{ sessionId, outcome: 'made', subagents: 1 }] });
    expect((await childrenOf(sessionId, home)).map(({ id }) => id)).toEqual(below);
    const [child = ''] = below;
    const said = async (where: string) =>
      (await getSessionMessages(child, { home: where })).map(({ uuid, timestamp, message }) => {
        const { content } = message as { content: unknown };
        return { uuid, timestamp, content };
      });
    expect(await said(home)).toEqual(await said(here));
    expect(agentIdOf(child)).toMatch(/^[0-9a-f]{8}$/);
  });

  test('whose lines name no session are of the one that they lie beside', async () => {
    const { own, below, write } = await withSubagent(await newFolder());
    for (const line of below.lines) delete line['sessionId'];
    const home = await newFolder();
    const { problems, sessions } = await importSessions([await write()], { home });
    expect({ problems, sessions }).toMatchObject({ problems: [], sessions: [{ subagents: 1 }] });
    expect(await childrenOf(own.sessionId, home)).toHaveLength(1);
  });

  test('that are links, or of another session, are left out, and told', async () => {
    const folder = await newFolder();
    const { own, below, write } = await withSubagent(folder);
    const file = await write();
    const stranger = foreignTranscript(folder, undefined, { isSidechain: true, agentId: 'b1' });
    stranger.user('elsewhere');
    const subagents = join(folder, own.sessionId, 'subagents');
    await stranger.write(join(own.sessionId, 'subagents', 'agent-b1.jsonl'));
    await symlink(join(folder, `${own.sessionId}.jsonl`), join(subagents, 'agent-c1.jsonl'));
    await writeFile(join(subagents, 'agent- d.jsonl'), '');
    const { problems, sessions } = await importSessions([file], { home: await newFolder() });
    expect(problems).toEqual([
      `${join(subagents, 'agent- d.jsonl')}: is no name of a subagent's transcript, and was left out`,
      `${join(subagents, 'agent-c1.jsonl')}: is no regular file, and was left out`,
      `${join(subagents, 'agent-b1.jsonl')}: holds lines of session ${stranger.sessionId}, which were left out`,
    ]);
    expect(sessions).toMatchObject([{ subagents: 1 }]);
    const linked = await newFolder();
    await below.write('elsewhere/agent-x.jsonl');
    await mkdir(join(linked, own.sessionId));
    await symlink(join(folder, 'elsewhere'), join(linked, own.sessionId, 'subagents'));
    const again = foreignTranscript(linked, own.sessionId);
    again.user('go');
    const report = await importSessions([await again.write(`${own.sessionId}.jsonl`)], { home: await newFolder() });
    expect(report.problems).toEqual([expect.stringContaining('is no folder') as string]);
    expect(report.sessions).toMatchObject([{ subagents: 0 }]);
  });
});
