import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Options, query, type SDKMessage } from '@rondo/sdk';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { outputLines, resultOf } from '../harness/output-lines.ts';
import { createPlace, type Place } from '../harness/place.ts';
import { runCommand } from '../harness/start-command.ts';
import { scriptModel, writeScript } from '../harness/write-script.ts';
import { canarySpellings } from './canary-spellings.ts';

// It starts processes, which take their time on a machine with much to do.
vi.setConfig({ testTimeout: 60_000 });

let place: Place;
let log: string;
let path: string;
beforeEach(() => {
  place = createPlace();
  log = join(place.folder, 'canary.log');
  const programs = join(place.folder, 'programs');
  for (const folder of [programs, join(place.project, 'bin')]) {
    mkdirSync(folder);
    writeFileSync(join(folder, 'canary'), `#!/bin/sh\necho ran >> '${log}'\n`);
    chmodSync(join(folder, 'canary'), 0o755);
  }
  // Of the programs that start others one is for administrators, whose folders an ordinary user's PATH leaves out.
  path = `${programs}:${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`;
});
afterEach(() => place[Symbol.dispose]());

const runs = (): number => (existsSync(log) ? readFileSync(log, 'utf8').split('\n').length - 1 : 0);

/** What a shell makes of the line by itself: true when the canary ran. */
function reallyRuns(line: string): boolean {
  rmSync(log, { force: true });
  spawnSync('bash', ['-c', line], { cwd: place.project, env: { PATH: path, HOME: place.folder }, timeout: 20_000 });
  return runs() > 0;
}

const steps = canarySpellings.map((command) => ({ call: 'Bash', input: { command } }));

async function messagesOf(options: Options): Promise<SDKMessage[]> {
  const messages: SDKMessage[] = [];
  const model = scriptModel(place, [...steps, { text: 'done' }], { name: `script${messages.length}` });
  const given: Options = {
    cwd: place.project,
    model,
    permissionMode: 'bypassPermissions',
    allowDangerouslySkipPermissions: true,
    env: place.env({ PATH: path, IS_SANDBOX: '1' }),
    ...options,
  };
  for await (const message of query({ prompt: 'go', options: given })) messages.push(message);
  return messages;
}

describe('issue 5, accept 2: the spellings of one denied program', () => {
  test('every one of them makes a shell run it, so that each is worth denying', () => {
    expect(canarySpellings.length).toBeGreaterThanOrEqual(60);
    expect(canarySpellings.filter((line) => !reallyRuns(line))).toEqual([]);
  }, 120_000);

  test('under bypassPermissions with no rule, query() runs them all', async () => {
    const result = (await messagesOf({})).at(-1);
    expect(result).toMatchObject({ type: 'result', subtype: 'success', permission_denials: [] });
    expect(runs()).toBeGreaterThanOrEqual(canarySpellings.length);
  }, 120_000);

  test('under bypassPermissions with a deny rule, query() runs none, and says so of each', async () => {
    const messages = await messagesOf({ disallowedTools: ['Bash(canary:*)'] });
    expect(runs()).toBe(0);
    const result = messages.at(-1);
    if (result?.type !== 'result') throw new Error('there is no result');
    expect(result.permission_denials.map(({ tool_input }) => tool_input['command'])).toEqual(canarySpellings);
  }, 120_000);

  test('an ask rule has each of them asked about, and a no keeps each from running', async () => {
    const asked: unknown[] = [];
    const settings = { permissions: { ask: ['Bash(canary:*)'] } };
    await messagesOf({
      settings,
      canUseTool: (_tool, input) => {
        asked.push(input['command']);
        return Promise.resolve({ behavior: 'deny', message: 'no' });
      },
    });
    expect(runs()).toBe(0);
    expect(asked).toEqual(canarySpellings);
  }, 120_000);

  test('nor does the command with --dangerously-skip-permissions', async () => {
    const args = ['-p', 'go', '--dangerously-skip-permissions', '--disallowedTools', 'Bash(canary:*)'];
    const { stdout } = await runCommand({
      place,
      args: [
        ...args,
        ...writeScript(place, [...steps, { text: 'done' }]),
        '--output-format',
        'stream-json',
        '--verbose',
      ],
      env: { PATH: path, IS_SANDBOX: '1' },
    });
    expect(outputLines(stdout).length).toBeGreaterThan(canarySpellings.length);
    expect(resultOf(stdout)).toMatchObject({ result: 'done' });
    expect(runs()).toBe(0);
  }, 120_000);
});
