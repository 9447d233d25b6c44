import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { createMarker, markerVariable } from './command-marker.ts';
import { endOrphanedCommands } from './end-orphaned-commands.ts';

it.skipIf(process.platform !== 'linux')('ends commands of a runtime that is gone, and no others', async () => {
  const { value } = createMarker(undefined);
  const [namespace, , , id] = value.split(':');
  // Process IDs are never that high.
  const gone = `${namespace}:999999999:1:${id}`;
  const elsewhere = `1:999999999:1:${id}`;
  const start = (marker: string) =>
    spawn('sleep', ['7201'], { env: { PATH: process.env['PATH'], [markerVariable]: marker }, stdio: 'ignore' });
  const orphan = start(gone);
  const others = [start(value), start(elsewhere), start(`${gone} ${value}`)];
  const ended = once(orphan, 'exit');
  expect(await endOrphanedCommands()).toBeGreaterThanOrEqual(1);
  expect(await ended).toEqual([null, 'SIGTERM']);
  for (const other of others) {
    expect(other.exitCode === null && other.signalCode === null).toBe(true);
    other.kill();
  }
});
