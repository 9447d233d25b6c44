import { text } from '@rondo/providers/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startLocalServer } from '../harness/local-server.ts';
import { openTerminal } from '../harness/open-terminal.ts';
import { createPlace, type Place } from '../harness/place.ts';
import { runCommand } from '../harness/start-command.ts';

let place: Place;
beforeEach(() => {
  place = createPlace();
});
afterEach(() => place[Symbol.dispose]());

/** No key, and one server on this machine that answers chat completions. */
const beside = (url: string) => ({ ANTHROPIC_API_KEY: undefined, RONDO_LOCAL_SERVERS: url });
const enter = '\r';

test('product, models: rondo models tells of a server on this machine, and asks it nothing but its models', async () => {
  await using server = await startLocalServer(['qwen3-coder', 'my model'], []);
  const { stdout, exitCode } = await runCommand({ place, args: ['models'], env: beside(String(server.port)) });
  expect(exitCode).toBe(0);
  expect(stdout).toContain(`${server.url}/v1`);
  const before = `  OPENAI_COMPATIBLE_BASE_URL=${server.url}/v1 rondo --model `;
  expect(stdout).toContain(`${before}openai-compatible/qwen3-coder  41K tokens\n`);
  expect(stdout).toContain(`${before}'openai-compatible/my model'  41K tokens\n`);
  expect(server.model.requests).toHaveLength(0);
});

test('product, models: with no key and no flag, headless, a local server is proposed by the flag that works', async () => {
  await using server = await startLocalServer(['qwen3-coder'], [text('Hello.')]);
  const refused = await runCommand({ place, args: ['-p', 'hi'], env: beside(server.url) });
  expect(refused.exitCode).toBe(1);
  expect(server.model.requests).toHaveLength(0);
  const [, address = '', flag = ''] = /OPENAI_COMPATIBLE_BASE_URL=(\S+) rondo --model (\S+)/.exec(refused.stderr) ?? [];
  const asked = await runCommand({
    place,
    args: ['-p', 'hi', '--model', flag],
    env: { ...beside(server.url), OPENAI_COMPATIBLE_BASE_URL: address },
  });
  expect(asked).toMatchObject({ stdout: 'Hello.\n', exitCode: 0 });
});

test('product, models: on a terminal the person is asked, and only then is it used', async () => {
  await using server = await startLocalServer(['qwen3-coder'], [text('Hello.')]);
  {
    await using refusing = openTerminal({ place, args: ['hi'], env: beside(server.url) });
    await refusing.waitFor('Use it? y/N ');
    refusing.type(`n${enter}`);
    await refusing.waitFor('rondo demo');
    expect(await refusing.exited).toMatchObject({ exitCode: 1 });
    expect(server.model.requests).toHaveLength(0);
  }
  await using terminal = openTerminal({ place, args: ['hi'], env: beside(server.url) });
  await terminal.waitFor('qwen3-coder');
  await terminal.waitFor('Use it? y/N ');
  terminal.type(`y${enter}`);
  await terminal.waitFor('Hello.');
  expect(server.model.requests).toHaveLength(1);
});
