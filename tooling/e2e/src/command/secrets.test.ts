import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { startModelServer, status, text, thinking, toolCall } from '@rondo/providers/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { outputLines } from '../harness/output-lines.ts';
import { createPlace, type Place, secretKey } from '../harness/place.ts';
import { runCommand } from '../harness/start-command.ts';
import { writeScript } from '../harness/write-script.ts';

let place: Place;
beforeEach(() => {
  place = createPlace();
});
afterEach(() => place[Symbol.dispose]());

/** The files that have the key in them. */
function leaks(): string[] {
  return [...place.files()].filter(([, bytes]) => bytes.includes(secretKey)).map(([path]) => path);
}

/** What a client makes of the pieces that were shown to it. */
function streamedText(stdout: string): string {
  return outputLines(stdout)
    .flatMap(({ event }) => Object.entries((event as { delta?: object } | undefined)?.delta ?? {}))
    .map(([name, piece]) => (name === 'type' ? '' : piece))
    .join('');
}

test('pains A, house: the key is in no file and no output, though the model says it and a command prints it', async () => {
  const env = join(place.project, 'environment.txt');
  await using server = await startModelServer({
    script: [
      status(529, { message: `overloaded, ${secretKey}` }),
      [
        thinking(`the key is ${secretKey}`),
        text(['The key is ', secretKey.slice(0, 12), secretKey.slice(12), '.']),
        toolCall('Bash', { command: `env > ${env}; env; cat /proc/$PPID/environ | tr '\\0' '\\n'; echo ${secretKey}` }),
      ],
      text(`Again: ${secretKey}`),
    ],
  });
  const debug = join(place.folder, 'debug.jsonl');
  const args = ['-p', 'Say it.', '--allowedTools', 'Bash', '--debug-file', debug, '--verbose'];
  const format = ['--output-format', 'stream-json', '--include-partial-messages'];
  const { stdout, stderr, exitCode } = await runCommand({ place, server, args: [...args, ...format] });
  expect(exitCode).toBe(0);
  expect(readFileSync(env, 'utf8')).not.toContain('ANTHROPIC_API_KEY');
  expect(stdout).not.toContain(secretKey);
  expect(streamedText(stdout)).toContain('The key is [redacted].');
  expect(streamedText(stdout)).not.toContain(secretKey);
  expect(stderr).not.toContain(secretKey);
  expect(readFileSync(debug, 'utf8')).toContain('"event":"end"');
  expect(leaks()).toEqual([]);
  expect(server.requests[0]?.headers['x-api-key']).toBe(secretKey);

  const failed = await runCommand({
    place,
    args: ['-p', 'hi', '--debug-file', debug],
    env: { ANTHROPIC_BASE_URL: `http://user:${secretKey}@127.0.0.1:9`, CLAUDE_CODE_MAX_RETRIES: '0' },
  });
  expect(failed.exitCode).toBe(1);
  expect(`${failed.stdout}${failed.stderr}`).not.toContain(secretKey);
  expect(leaks()).toEqual([]);
});

test('stdio-compat, on purpose better: a session of one turn takes less than 10 KB, and only its owner may read it', async () => {
  await runCommand({ place, args: ['-p', 'hello', ...writeScript(place, [{ text: 'Hello.' }])] });
  const sessions = join(place.home, 'sessions');
  const [id = ''] = readdirSync(sessions);
  const files = place.files(join(sessions, id));
  const bytes = [...files.values()].reduce((sum, content) => sum + content.length, 0);
  expect(bytes).toBeLessThan(10 * 1024);
  for (const path of files.keys()) expect(statSync(path).mode & 0o077).toBe(0);
  expect(statSync(join(sessions, id)).mode & 0o077).toBe(0);
});
