import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startModelServer, text, toolCall } from '@rondo/providers/testing';
import { expect, test } from 'vitest';
import { resultOf } from '../harness/output-lines.ts';
import { createPlace, secretKey } from '../harness/place.ts';
import { runCommand } from '../harness/start-command.ts';

test('issue 4: a session is named, copied, exported whole and without its key, and removed', async () => {
  using place = createPlace();
  const large = 'large '.repeat(40_000);
  await using server = await startModelServer({
    apiKey: secretKey,
    script: [[toolCall('Bash', { command: `echo ${secretKey}` })], text('Done.')],
  });
  const args = ['-p', '--allowedTools', 'Bash', '--output-format', 'json'];
  const { stdout } = await runCommand({ place, server, args, input: large });
  const sessionId = resultOf(stdout).session_id;
  const sessions = (...more: string[]) => runCommand({ place, args: ['sessions', ...more] });

  expect((await sessions('rename', sessionId, 'Large')).exitCode).toBe(0);
  expect((await sessions('tag', sessionId, 'kept')).exitCode).toBe(0);
  const fork = await sessions('fork', sessionId, '--title', 'Copy');
  expect(fork.exitCode).toBe(0);
  expect((await sessions('rm', sessionId, '--force')).exitCode).toBe(0);
  expect((await sessions('show', sessionId)).stderr).toContain('rondo sessions list');

  // The copy has everything, also what its source kept in files beside its log.
  const copy = fork.stdout.slice(0, 36);
  for (const format of ['jsonl', 'json', 'markdown']) {
    expect(await sessions('export', copy, '--format', format, '--output', format)).toMatchObject({ exitCode: 0 });
    const exported = readFileSync(join(place.project, format), 'utf8');
    // A page has the beginning of what is too long for the log.
    expect(exported).toContain(format === 'markdown' ? large.slice(0, 1000) : large.trim());
    expect(exported).toContain('Done.');
    expect(exported).not.toContain(secretKey);
  }
  expect(readFileSync(join(place.project, 'jsonl'), 'utf8')).not.toContain('"spilled"');
  expect(readFileSync(join(place.home, 'sessions', copy, 'log.jsonl'), 'utf8')).toContain('"spilled"');
});
