import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { recordingTool } from '../testing/recording-tool.ts';
import { scriptedModel } from '../testing/scripted-model.ts';
import { call, say } from '../testing/scripted-step.ts';
import { sessionScene, storedEvents } from '../testing/session-scene.ts';
import { createFileStore } from './file-store.ts';
import { salvageSession } from './salvage-session.ts';
import { verifySession } from './verify-session.ts';

let home: string;
let damagedId: string;
const look = () => recordingTool({ name: 'Look', effect: 'none', results: ['o'.repeat(100_000), 'short'] });

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'rondo-salvage-'));
  const model = scriptedModel([call('Look', {}), say('first'), call('Look', {}), say('second')]);
  const scene = await sessionScene({ model, tools: [look()], store: createFileStore({ home }) });
  await scene.run('one');
  await scene.run('two');
  damagedId = scene.sessionId;
  await scene.runtime.close();
});
afterEach(() => rm(home, { recursive: true }));

const logPath = (id: string) => join(home, 'sessions', id, 'log.jsonl');

/** Goes on with the salvaged session as anyone would. */
async function goOn(sessionId: string) {
  const scene = await sessionScene(
    { model: scriptedModel([say('third')]), tools: [look()], store: createFileStore({ home }) },
    sessionId,
  );
  const record = await scene.run('three');
  const session = await scene.runtime.readSession({ sessionId });
  await scene.runtime.close();
  return { record, session };
}

test('a sound session is salvaged whole, with its blobs, and goes on', async () => {
  const { sessionId, lost } = await salvageSession(home, damagedId);
  expect(lost).toEqual([]);
  const store = createFileStore({ home });
  const said = async (id: string) =>
    (await storedEvents(store, id)).flatMap((event): unknown[] =>
      event.type === 'entry.completed' ? [event.entry] : event.type === 'tool.completed' ? [event.content] : [],
    );
  expect(await said(sessionId)).toEqual(await said(damagedId));
  await store.close();
  expect((await verifySession(home, sessionId)).problems).toEqual([]);
  expect(await readdir(join(home, 'sessions', sessionId, 'blobs'))).toHaveLength(1);
  const { record, session } = await goOn(sessionId);
  expect(record).toMatchObject({ type: 'completed', text: 'third' });
  expect(session).toMatchObject({ turns: 3, firstPrompt: 'one' });
});

test('whichever line is lost, all others are in a sound session that goes on, and the loss is named', async () => {
  const whole = await readFile(logPath(damagedId), 'utf8');
  const lines = whole.split('\n').slice(0, -1);
  for (const [index, line] of lines.entries()) {
    const bad = `${line.slice(0, 20)}#${line.slice(21)}`;
    const damaged = [...lines.slice(0, index), bad, ...lines.slice(index + 1), ''].join('\n');
    await writeFile(logPath(damagedId), damaged);
    const { sessionId, events, lost } = await salvageSession(home, damagedId);
    expect(await readFile(logPath(damagedId), 'utf8')).toBe(damaged);
    const isHeader = index === 0;
    expect(events).toBe(lines.length - (isHeader ? 1 : 2));
    const last = index === lines.length - 1;
    expect(lost.map((what) => what.replace(/\d+ to \d+/, 'N'))).toEqual([
      'log.jsonl, bytes N: cannot be read',
      ...(isHeader || last ? [] : [`event ${index}: its line is gone`]),
    ]);
    expect((await verifySession(home, sessionId)).problems).toEqual([]);
    const { record } = await goOn(sessionId);
    expect(record).toMatchObject({ type: 'completed', text: 'third' });
    await rm(join(home, 'sessions', sessionId), { recursive: true });
  }
}, 60_000);

test('a blob that is gone or changed is named, and the rest of its event is kept', async () => {
  const folder = join(home, 'sessions', damagedId, 'blobs');
  const [hash = ''] = await readdir(folder);
  await writeFile(join(folder, hash), 'another content');
  const { sessionId, lost } = await salvageSession(home, damagedId);
  expect(lost).toEqual([expect.stringMatching(new RegExp(`^event \\d+: its content in blobs/${hash} `))]);
  expect((await goOn(sessionId)).record.type).toBe('completed');
});

test('a log of which nothing can be read makes no session', async () => {
  await writeFile(logPath(damagedId), 'nothing of ours\n');
  await expect(salvageSession(home, damagedId)).rejects.toMatchObject({ code: 'log.damaged' });
  expect(await readdir(join(home, 'sessions'))).toEqual([damagedId]);
  await expect(salvageSession(home, '../x')).rejects.toMatchObject({ code: 'session.not_found' });
});
