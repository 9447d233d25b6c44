import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readProcess } from './process-table.ts';
import { watchProcessTree } from './process-tree.ts';

it.skipIf(process.platform !== 'linux')('finds what a shell left that ended before anybody looked', async () => {
  const marker = randomUUID();
  const shell = spawn('bash', ['-c', 'setsid sleep 7120 >/dev/null 2>&1 &'], {
    detached: true,
    stdio: 'ignore',
    env: { ...process.env, RONDO_COMMAND: marker },
  });
  const root = shell.pid ?? 0;
  // Without a turn of the event loop, so that it is not waited for.
  while (!/\) Z /.test(readFileSync(`/proc/${root}/stat`, 'latin1')));
  expect(readProcess(root)).toBeUndefined();
  expect(await watchProcessTree({ root, marker, graceMs: 500 }).end()).toBe(1);
});
