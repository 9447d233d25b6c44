import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AnyEvent } from '@rondo/protocol';
import { expect, test, vi } from 'vitest';
import { replaySession } from '../replay/replay-session.ts';
import { sha256 } from '../testing/temporary-binding.ts';
import { openLogFile } from './open-log-file.ts';

// The first log that is read loads every schema there is.
vi.setConfig({ testTimeout: 60_000 });

const packages = fileURLToPath(new URL('../../../', import.meta.url));
const logs = globSync('*/fixtures/**/*.jsonl', { cwd: packages }).toSorted();

test('there are golden logs', () => {
  expect(logs.length).toBeGreaterThanOrEqual(5);
});

test.each(logs)('issue 4, accept 9: the golden log %s replays as it was recorded', async (path) => {
  const log = await openLogFile(`${packages}${path}`);
  const events: AnyEvent[] = [];
  for await (const event of log.read()) events.push(event);
  expect([basename(path), events.map(({ type }) => type).includes('unknown')]).toEqual([basename(path), false]);
  const { sessionId, readBlob } = log;
  const report = await replaySession({ sessionId, events, readBlob, sha256 });
  expect(report.divergence).toBeUndefined();
  expect(report.requests).toBeGreaterThan(0);
});
