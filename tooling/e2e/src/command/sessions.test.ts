import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startModelServer, text, toolCall } from '@rondo/providers/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { resultOf } from '../harness/output-lines.ts';
import { createPlace, type Place, secretKey } from '../harness/place.ts';
import { type CommandExit, runCommand } from '../harness/start-command.ts';
import { writeScript } from '../harness/write-script.ts';

let place: Place;
beforeEach(() => {
  place = createPlace();
});
afterEach(() => place[Symbol.dispose]());

const formats = ['jsonl', 'json', 'markdown'] as const;
const json = ['--output-format', 'json'];

function sessions(...args: readonly string[]): Promise<CommandExit> {
  return runCommand({ place, args: ['sessions', ...args] });
}

/** The session in that format, as a file has it. */
async function exported(id: string, format: string): Promise<string> {
  const file = join(place.folder, format);
  expect(await sessions('export', id, '--format', format, '--output', file)).toMatchObject({ exitCode: 0 });
  return readFileSync(file, 'utf8');
}

test('issue 4: a session is named, copied, exported whole, and removed', async () => {
  const large = 'large '.repeat(40_000);
  const model = writeScript(place, [{ text: 'Done.' }]);
  const { stdout } = await runCommand({ place, args: ['-p', ...json, ...model], input: large });
  const sessionId = resultOf(stdout).session_id;

  expect((await sessions('rename', sessionId, 'Large')).exitCode).toBe(0);
  expect((await sessions('tag', sessionId, 'kept')).exitCode).toBe(0);
  const fork = await sessions('fork', sessionId, '--title', 'Copy');
  expect(fork.exitCode).toBe(0);
  expect((await sessions('rm', sessionId, '--force')).exitCode).toBe(0);
  expect((await sessions('show', sessionId)).stderr).toContain('rondo sessions list');

  // The copy has everything, also what its source kept in files beside its log.
  const copy = fork.stdout.slice(0, 36);
  for (const format of formats) {
    const page = await exported(copy, format);
    expect(page).toContain(large.trim());
    expect(page).toContain('Done.');
    if (format === 'jsonl') expect(page).not.toContain('"spilled"');
  }
  expect(readFileSync(join(place.home, 'sessions', copy, 'log.jsonl'), 'utf8')).toContain('"spilled"');
});

test('issue 4: what is exported of a session has no key in it, though a command printed it', async () => {
  await using server = await startModelServer({
    apiKey: secretKey,
    script: [[toolCall('Bash', { command: `echo ${secretKey}` })], text('Done.')],
  });
  const args = ['-p', 'say it', '--allowedTools', 'Bash', ...json];
  const { stdout } = await runCommand({ place, server, args });
  for (const format of formats) {
    const page = await exported(resultOf(stdout).session_id, format);
    expect(page).toContain('Done.');
    expect(page).not.toContain(secretKey);
  }
});
