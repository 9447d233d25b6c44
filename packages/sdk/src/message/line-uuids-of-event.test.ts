import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openLogFile } from '@rondo/runtime/node';
import { expect, test, vi } from 'vitest';
import { createTranscriptProjection } from '../transcript/project-transcript.ts';
import { lineUuidsOfEvent } from './line-uuids-of-event.ts';
import { createProjection } from './project-message.ts';

// The first log that is read loads every schema there is.
vi.setConfig({ testTimeout: 60_000 });

const packages = fileURLToPath(new URL('../../../', import.meta.url));
const logs = globSync('*/fixtures/**/*.jsonl', { cwd: packages }).toSorted();

test.each(logs)(
  'every line of %s has a UUID that its event names, in its transcript as in its messages',
  async (path) => {
    const log = await openLogFile(`${packages}${path}`);
    const projection = createProjection({ sessionId: log.sessionId, replayUserMessages: true });
    const transcript = createTranscriptProjection(log.sessionId);
    const named = new Set<string>();
    const ends = new Set<string>();
    const shown: string[] = [];
    const written: string[] = [];
    for await (const event of log.read()) {
      if (event.sessionId === log.sessionId) for (const uuid of lineUuidsOfEvent(event)?.uuids ?? []) named.add(uuid);
      for (const line of projection.push(event)) {
        if (event.type === 'turn.ended' && line.uuid !== undefined) ends.add(line.uuid);
        if ((line.type === 'user' || line.type === 'assistant') && line.uuid !== undefined) shown.push(line.uuid);
      }
      for (const line of transcript.push(event))
        if (line.type === 'user' || line.type === 'assistant') written.push(line.uuid);
    }
    // What the end of a turn says is no message to go on from by itself.
    expect(shown.filter((uuid) => !named.has(uuid) && !ends.has(uuid))).toEqual([]);
    expect(new Set(written).size).toBe(written.length);
    expect(written.toSorted()).toEqual(shown.toSorted());
  },
);
