import type { AnyEvent } from '@rondo/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createContextBuilder } from '../context/context-builder.ts';
import { lightItem } from '../event/light-conversation.ts';
import type { EventStore } from '../event/event-store.ts';
import type { SessionState } from '../event/session-state.ts';
import { createItemReader } from '../session/item-reader.ts';
import { createSessionReplay, keptState } from '../session/session-replay.ts';
import { createTreeReplay } from '../session/tree-replay.ts';
import { createPowerCutFileSystem } from '../testing/power-cut-file-system.ts';
import { recordingTool } from '../testing/recording-tool.ts';
import { scriptedModel } from '../testing/scripted-model.ts';
import { call, say, think } from '../testing/scripted-step.ts';
import { sceneBinding, sessionScene, storedEvents } from '../testing/session-scene.ts';
import { createFileStore } from './file-store.ts';
import type { FileSystem } from './file-system.ts';
import { createProcessOwners } from './process-owners.ts';

const home = '/home/user/.rondo';

/** One turn: how long each of its outputs is, in the order of its steps. */
type Turn = readonly number[];

const turnsOf = fc.array(fc.array(fc.integer({ min: 0, max: 3000 }), { maxLength: 3 }), { minLength: 1, maxLength: 4 });

interface Place {
  readonly fileSystem: FileSystem;
  open(): EventStore;
}

function newPlace(): Place {
  const fileSystem = createPowerCutFileSystem();
  const owners = createProcessOwners();
  return { fileSystem, open: () => createFileStore({ home, fileSystem, owners, snapshotEveryBytes: 1 }) };
}

/** A process that runs some turns, and closes. Gives the session's ID. */
async function live(place: Place, turns: readonly Turn[], sessionId?: string): Promise<string> {
  const steps = turns.flatMap((outputs) => [
    ...outputs.map((length) => [
      think('t'.repeat(length), 'signed'),
      say('s'.repeat(length)),
      call('Look', { note: 'i'.repeat(length), length }),
    ]),
    say(`done with ${outputs.length}`),
  ]);
  const look = recordingTool({
    name: 'Look',
    effect: 'none',
    results: turns.flat().map((length) => 'o'.repeat(length)),
  });
  const scene = await sessionScene({ model: scriptedModel(steps), tools: [look], store: place.open() }, sessionId);
  for (const [index] of turns.entries()) {
    const record = await scene.run(`turn ${index} ${'p'.repeat(index * 900)}`);
    expect(record.type).toBe('completed');
  }
  await scene.runtime.close();
  return scene.sessionId;
}

const fold = (events: readonly AnyEvent[], sessionId: string): SessionState => {
  const replay = createSessionReplay(sessionId, Number.POSITIVE_INFINITY);
  for (const event of events) replay.apply(event);
  return replay.state();
};

/** Whatever is light in it and what is not. */
const comparable = (state: SessionState) => ({ ...state, conversation: state.conversation.map(lightItem) });

async function contextOf(store: EventStore, state: SessionState) {
  const builder = createContextBuilder({
    readBlob: (hash) => store.blobs(state.sessionId).read(hash),
    wholeItems: () => createItemReader((after) => store.read(state.sessionId, { after })),
  });
  return builder.build(state.conversation, { model: 'scripted/model', rejectedReasoning: state.rejectedReasoning });
}

/** What opening gives, and whether a snapshot was of use for it. */
async function opened(store: EventStore, sessionId: string): Promise<{ state: SessionState; restored: boolean }> {
  const replay = createTreeReplay(sessionId);
  let restored = false;
  const log = await store.acquire(sessionId, {
    replay: {
      ...replay,
      restore(value) {
        restored = replay.restore(value);
        return restored;
      },
    },
  });
  await log.release();
  return { state: replay.state().root, restored };
}

const snapshotPath = (sessionId: string) => `${home}/sessions/${sessionId}/snapshot`;

async function bytesOf(fileSystem: FileSystem, path: string): Promise<Uint8Array> {
  const file = await fileSystem.open(path, 'read');
  const bytes = new Uint8Array(file.status().size);
  await file.read(bytes, 0);
  await file.close();
  return bytes;
}

async function replace(fileSystem: FileSystem, path: string, bytes: Uint8Array): Promise<void> {
  const file = await fileSystem.open(path, 'update');
  await file.truncate(0);
  await file.write(bytes, 0);
  await file.close();
}

describe('a snapshot', () => {
  test('and the events after it give what all events give, wherever it was taken', async () => {
    await fc.assert(
      fc.asyncProperty(turnsOf, async (turns) => {
        const place = newPlace();
        const sessionId = await live(place, turns);
        const store = place.open();
        const events = await storedEvents(store, sessionId);
        const all = fold(events, sessionId);
        const context = await contextOf(store, all);
        for (let taken = 0; taken <= events.length; taken += 1) {
          const before = createSessionReplay(sessionId, 0);
          for (const event of events.slice(0, taken)) before.apply(event);
          const after = createSessionReplay(sessionId, 0);
          expect(after.restore(structuredClone(keptState(before.state())))).toBe(true);
          for (const event of events.slice(taken)) after.apply(event);
          expect(comparable(after.state())).toEqual(comparable(all));
          expect(await contextOf(store, after.state())).toEqual(context);
        }
        await store.close();
      }),
      { numRuns: 8 },
    );
  }, 60_000);

  test('is taken at the end of a turn, and the next process goes on from it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(turnsOf, { minLength: 1, maxLength: 3 }), async (lives) => {
        const place = newPlace();
        let sessionId: string | undefined;
        for (const turns of lives) sessionId = await live(place, turns, sessionId);
        const store = place.open();
        const found = await opened(store, sessionId ?? '');
        expect(comparable(found.state)).toEqual(
          comparable(fold(await storedEvents(store, sessionId ?? ''), sessionId ?? '')),
        );
        expect(found.restored).toBe(true);
        await store.close();
      }),
      { numRuns: 15 },
    );
  }, 60_000);
});

describe('a snapshot is a cache: the session stays the same when it', () => {
  const setting = async () => {
    const place = newPlace();
    const sessionId = await live(place, [[10, 2000]]);
    const older = await bytesOf(place.fileSystem, snapshotPath(sessionId));
    await live(place, [[1500], []], sessionId);
    const store = place.open();
    const expected = comparable(fold(await storedEvents(store, sessionId), sessionId));
    const snapshot = await bytesOf(place.fileSystem, snapshotPath(sessionId));
    const path = snapshotPath(sessionId);
    const check = async (restored: boolean, what: string): Promise<void> => {
      const found = await opened(store, sessionId);
      expect(comparable(found.state), what).toEqual(expected);
      expect(found.restored, what).toBe(restored);
    };
    return { place, sessionId, store, older, snapshot, path, check };
  };

  test('is gone', async () => {
    const { place, path, check } = await setting();
    await check(true, 'as it was left');
    await place.fileSystem.remove(path);
    await check(false, 'gone');
  });

  test('has any byte changed, or is cut off anywhere', async () => {
    const { place, snapshot, path, check } = await setting();
    // All of the first part, where lengths, places and checksums are; of the rest every byte would take long.
    for (let at = 0; at < snapshot.length; at += at < 600 ? 1 : 13) {
      const damaged = snapshot.slice();
      damaged[at] = (damaged[at] ?? 0) ^ (1 << (at % 8));
      await replace(place.fileSystem, path, damaged);
      await check(false, `byte ${at}`);
    }
    for (let length = 0; length < snapshot.length; length += 41) {
      await replace(place.fileSystem, path, snapshot.subarray(0, length));
      await check(false, `${length} bytes of it`);
    }
  }, 60_000);

  test('is of an earlier time', async () => {
    const { place, older, path, check } = await setting();
    await replace(place.fileSystem, path, older);
    await check(true, 'older');
  });

  test('is of a later time than the log, of another session, or of another fold', async () => {
    const { place, sessionId, snapshot, path, store } = await setting();
    const logPath = `${home}/sessions/${sessionId}/log.jsonl`;
    const log = new TextDecoder().decode(await bytesOf(place.fileSystem, logPath));
    const ends = [...log.matchAll(/,"end":\d+\}\n/g)].map(({ 0: text, index }) => index + text.length);
    const takenAt = Number(/"offset":(\d+)/.exec(new TextDecoder().decode(snapshot))?.[1]);
    for (const end of ends.slice(1, -1)) {
      await replace(place.fileSystem, logPath, new TextEncoder().encode(log.slice(0, end)));
      await replace(place.fileSystem, path, snapshot);
      const found = await opened(store, sessionId);
      expect(comparable(found.state)).toEqual(comparable(fold(await storedEvents(store, sessionId), sessionId)));
      expect(found.restored).toBe(end >= takenAt);
    }
    expect(takenAt).toBeGreaterThan(ends[1] ?? 0);
    const other = await live(place, [[10]]);
    await replace(place.fileSystem, snapshotPath(other), snapshot);
    expect((await opened(store, other)).restored).toBe(false);
    const replay = createTreeReplay(other);
    await live(place, [[10]], other);
    const named = { ...replay, version: 'another fold', restore: () => expect.unreachable() };
    await (await store.acquire(other, { replay: named })).release();
    expect(comparable(replay.state().root)).toEqual(comparable(fold(await storedEvents(store, other), other)));
  });

  test('and is written anew when it was of no use', async () => {
    const { place, sessionId, snapshot, path } = await setting();
    await replace(place.fileSystem, path, snapshot.subarray(0, 100));
    await live(place, [[]], sessionId);
    const store = place.open();
    expect((await opened(store, sessionId)).restored).toBe(true);
  });
});

test('opening reads a log once, and with a snapshot only its end', async () => {
  const place = newPlace();
  const sessionId = await live(
    place,
    Array.from({ length: 16 }, () => [3000, 3000]),
  );
  const size = place.fileSystem.status(`${home}/sessions/${sessionId}/log.jsonl`)?.size ?? 0;
  let read = 0;
  const counting: FileSystem = {
    ...place.fileSystem,
    async open(path, mode) {
      const file = await place.fileSystem.open(path, mode);
      const counts = path.endsWith('log.jsonl');
      return {
        ...file,
        async read(into, offset) {
          const count = await file.read(into, offset);
          if (counts) read += count;
          return count;
        },
      };
    },
  };
  const bytesToOpen = async (): Promise<number> => {
    read = 0;
    const store = createFileStore({ home, fileSystem: counting, owners: createProcessOwners() });
    const model = scriptedModel([]);
    const scene = await sessionScene({ model, store, tools: [] }, sessionId);
    const binding = { ...sceneBinding({ model }), tools: [recordingTool({ name: 'Look' })] };
    const bindingId = scene.runtime.bind(binding);
    await scene.runtime.openSession({ sessionId, bindingId, unfinished: 'settle' });
    const bytes = read;
    await scene.runtime.close();
    return bytes;
  };
  expect(size).toBeGreaterThan(200_000);
  expect(await bytesToOpen()).toBeLessThan(size / 2);
  await place.fileSystem.remove(snapshotPath(sessionId));
  expect(await bytesToOpen()).toBeLessThan(size * 1.1);
}, 60_000);
