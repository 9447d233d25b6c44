import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { getSessionMessages } from '../sessions/get-session-messages.ts';
import { type Fields, foreignTranscript, result, text, toolUse } from '../testing/foreign-transcript.ts';
import { importSessions } from './import-sessions.ts';
import { readChain, type TranscriptEntry } from './read-chain.ts';
import { readTranscriptFile } from './read-transcript-file.ts';

// A busy machine takes its time with whole sessions.
vi.setConfig({ testTimeout: 60_000 });

let root = '';
let homes = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'rondo-hostile-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const newHome = (): string => join(root, `home-${(homes += 1)}`);
const uuids = (chain: { readonly said: readonly { readonly uuid: string }[] }) => chain.said.map(({ uuid }) => uuid);

/** Three turns. */
function conversation() {
  const one = foreignTranscript(root);
  for (const word of ['one', 'two', 'three']) {
    one.user(word);
    one.reply(toolUse(`toolu_${word}`), `msg_${word}`);
    one.user(result(`toolu_${word}`, word));
    one.reply(text(`said ${word}`), `msg_${word}_end`);
  }
  const all = one.lines.map((line) => String(line['uuid']));
  return { ...one, all, entries: one.lines as unknown as TranscriptEntry[] };
}

describe('a chain of lines', () => {
  test('whose order is lost is in its own again', () => {
    const { entries, all } = conversation();
    expect(uuids(readChain(entries.toReversed()))).toEqual(all);
    const mixed = entries.toSorted((one, other) => ((one.uuid ?? '') < (other.uuid ?? '') ? -1 : 1));
    expect(uuids(readChain(mixed))).toEqual(all);
    const timeless = entries.map((entry) => ({ ...entry, timestamp: undefined }));
    expect(uuids(readChain(timeless.toReversed()))).toEqual(all);
  });

  test('that goes round in a ring ends, and has each line once', () => {
    const { entries, all } = conversation();
    const ring = entries.map((entry, at) => (at === 0 ? { ...entry, parentUuid: all.at(-1) } : entry));
    expect(uuids(readChain(ring)).toSorted()).toEqual(all.toSorted());
    const selfish = entries.map((entry) => ({ ...entry, parentUuid: entry.uuid }));
    expect(uuids(readChain(selfish)).length).toBeGreaterThan(0);
  });

  test('of which every parent is missing is read in time that grows with it', () => {
    const entries = Array.from({ length: 60_000 }, (_, at) => ({
      type: 'user',
      uuid: `8f14e45f-ceea-467f-9c36-${String(at).padStart(12, '0')}`,
      parentUuid: `none-${at}`,
      message: { role: 'user', content: 'x' },
    }));
    expect(readChain(entries).said).toHaveLength(60_000);
  });

  test('with lines that come twice has the first ones', () => {
    const { entries, all } = conversation();
    const again = entries.map((entry) => ({ ...entry, message: { role: 'user', content: 'forged' } }));
    const { said } = readChain([...entries, ...again]);
    expect(said.map(({ uuid }) => uuid)).toEqual(all);
    expect(JSON.stringify(said)).not.toContain('forged');
  });

  test('with names that are those of no UUID is the same each time', async () => {
    const one = foreignTranscript(root);
    one.user('first');
    one.reply(text('one'), 'msg_1');
    for (const line of one.lines) {
      const { uuid, parentUuid } = line;
      line['uuid'] = `line-${String(uuid)}`;
      if (typeof parentUuid === 'string') line['parentUuid'] = `line-${parentUuid}`;
    }
    const home = newHome();
    const file = await one.write('named.jsonl');
    expect((await importSessions([file], { home })).sessions).toMatchObject([{ outcome: 'made', lines: 2 }]);
    expect((await importSessions([file], { home })).sessions).toMatchObject([{ outcome: 'known' }]);
  });

  test('with types that are names of other things counts them', () => {
    const odd = ['constructor', '__proto__', 'toString', '\u001b[2J', 'x'.repeat(100)];
    const { leftOut } = readChain(odd.map((type) => ({ type })));
    expect(Object.keys(leftOut)).toEqual([
      'lines of type constructor',
      'lines of type __proto__',
      'lines of type toString',
      String.raw`lines of type "\u001b[2J"`,
      `lines of type "${'x'.repeat(40)}"`,
    ]);
  });
});

describe('a file', () => {
  const garbage: readonly Fields[] = [
    { type: 'user' },
    { type: 'user', uuid: 7, message: {} },
    { type: 'user', uuid: 'x', message: [] },
    { type: 'assistant', uuid: 'y', message: { content: [null, 1, 'x', {}, { type: 7 }] } },
    { type: 'user', uuid: 'z', message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: {} }] } },
    { type: 'progress', data: { type: 'user' } },
  ];

  test('with garbage between its lines, and a last one that is torn, gives what is in it', async () => {
    const { lines, all, sessionId, write } = conversation();
    const last = lines.pop();
    lines.splice(4, 0, ...garbage.map((line) => ({ parentUuid: null, sessionId, ...line })));
    if (last !== undefined) lines.push(last);
    const file = await write('torn.jsonl', '{"type":"user","uuid":"8f14e45f');
    const home = newHome();
    const { problems, sessions } = await importSessions([file], { home });
    expect(problems).toEqual([expect.stringContaining('is no JSON') as string]);
    expect(sessions).toMatchObject([{ outcome: 'made' }]);
    const messages = (await getSessionMessages(sessionId, { home })).map(({ uuid }) => uuid);
    expect(messages).toEqual(all);
  });

  test('of nothing but garbage tells so much of it, in words that no terminal obeys', async () => {
    const file = join(root, 'garbage.jsonl');
    await writeFile(file, `${'\u001b[2J\u0007 nothing\n'.repeat(5000)}\u0000\u0000\n`);
    const { problems, sessions } = await importSessions([file], { home: newHome() });
    expect(sessions).toEqual([]);
    expect(problems).toHaveLength(102);
    expect(problems.at(-2)).toBe(`${file}: 4901 more lines could not be read`);
    for (const problem of problems) expect(problem).not.toContain('\u001b');
  });

  test('is kept in outline, and read again line by line', async () => {
    const one = foreignTranscript(root);
    one.user('x'.repeat(100_000));
    one.reply(text('y'.repeat(100_000)), 'msg_1');
    one.user('short');
    const source = await readTranscriptFile(await one.write('long.jsonl'));
    const entries = source.bySession.get(one.sessionId) ?? [];
    expect(JSON.stringify(entries).length).toBeLessThan(2000);
    for (const [at, entry] of entries.entries()) expect(await source.whole(entry)).toEqual(one.lines[at]);
  });

  test('that changes while it is imported is not taken for what it was', async () => {
    const one = foreignTranscript(root);
    one.user('x'.repeat(10_000));
    const file = await one.write('changes.jsonl');
    const source = await readTranscriptFile(file);
    const [entry] = source.bySession.get(one.sessionId) ?? [];
    if (entry === undefined) throw new Error('nothing was read');
    await appendFile(file, 'more\n');
    expect(await source.whole(entry)).toEqual(one.lines[0]);
    await writeFile(file, 'something else');
    await expect(source.whole(entry)).rejects.toThrow('changes.jsonl:1 has changed while it was read');
  });

  test('with a line that goes down thousands of levels costs that session, and no other', async () => {
    const deep = foreignTranscript(root);
    deep.user('first');
    const nested = '['.repeat(20_000) + ']'.repeat(20_000);
    const line = JSON.stringify({ ...deep.lines[0], parentUuid: deep.lines[0]?.['uuid'], uuid: undefined });
    const torn = line.replace('"content":"first"', `"content":[{"type":"odd","deep":${nested}}]`);
    const uuid = '8f14e45f-ceea-467f-9c36-11d2a1e0a0f0';
    const assistant = torn.replace('"type":"user"', `"type":"assistant","uuid":"${uuid}"`);
    const other = foreignTranscript(root);
    other.user('other');
    const file = await deep.write('deep.jsonl', `${assistant}\n${JSON.stringify(other.lines[0])}\n`);
    const { sessions } = await importSessions([file], { home: newHome() });
    expect(sessions).toHaveLength(2);
    expect(sessions[1]).toMatchObject({ sessionId: other.sessionId, outcome: 'made' });
  });
});
