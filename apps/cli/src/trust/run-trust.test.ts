import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FolderTrust } from '@rondo/sdk';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createWorkplace, rondoProgram, runRondo, type Workplace } from '../testing/spawn-rondo.ts';
import { spawnTerminal } from '../testing/spawn-terminal.ts';

// Each test starts processes of its own; a busy machine takes its time with them.
vi.setConfig({ testTimeout: 60_000 });

let place: Workplace;
beforeEach(() => {
  place = createWorkplace();
  mkdirSync(join(place.project, '.claude'));
  settings({
    permissions: { allow: ['Bash(make:*)'] },
    hooks: { Stop: [{ hooks: [{ type: 'command', command: './\u001b[2Kx.sh' }] }] },
  });
});
afterEach(() => place[Symbol.dispose]());

function settings(content: unknown): void {
  writeFileSync(join(place.project, '.claude', 'settings.json'), JSON.stringify(content));
}

const rondo = (...argv: readonly string[]) => runRondo(['trust', ...argv], { cwd: place.project, env: place.env({}) });
const states = async (): Promise<string[]> => {
  const { stdout } = await rondo('--json');
  return (JSON.parse(stdout) as FolderTrust).parts.map(({ state }) => state);
};

test('it only tells where nobody can be asked, and what it tells cannot move the cursor', async () => {
  const { stdout, stderr, exitCode } = await rondo();
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' });
  expect(stdout).toContain('.claude/settings.json  (not trusted)\n  allows Bash(make:*)\n  runs at Stop: ./␛[2Kx.sh');
  expect(await states()).toEqual(['new']);
});

test('--yes trusts it as it is, --revoke takes that back, --list tells what is trusted', async () => {
  expect(await rondo('--yes')).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('(trusted)') as string });
  expect((await rondo('--list')).stdout).toContain(`${place.project}  (.claude/settings.json)`);
  symlinkSync(place.project, join(place.project, 'self'));
  expect((await rondo('self')).exitCode).toBe(0);
  settings({ permissions: { allow: ['Bash'] } });
  expect((await rondo()).stdout).toContain('not trusted: it has changed since it was');
  expect((await rondo('--revoke')).stdout).toContain('is trusted any more');
  expect((await rondo('--list')).stdout).toBe('No folder is trusted.\n');
  expect(await states()).toEqual(['new']);
});

test('on a terminal it asks', async () => {
  await using terminal = spawnTerminal(process.execPath, [...rondoProgram, 'trust'], {
    cwd: place.project,
    env: place.env({}),
  });
  await terminal.waitFor('Trust this as it is now?');
  terminal.type('y\r');
  expect((await terminal.exited).exitCode).toBe(0);
  expect(await states()).toEqual(['trusted']);
});

test('a folder that is none is said', async () => {
  expect(await rondo('nowhere')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('nowhere is not a folder') as string,
  });
  expect(await rondo('a', 'b')).toMatchObject({ exitCode: 2 });
});
