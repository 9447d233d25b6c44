import { startModelServer, text } from '@rondo/providers/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createWorkplace, rondoProgram, type Workplace } from '../testing/spawn-rondo.ts';
import { spawnTerminal, type Terminal } from '../testing/spawn-terminal.ts';

// Each test starts processes of its own; a busy machine takes its time with them.
vi.setConfig({ testTimeout: 60_000 });

let place: Workplace;
beforeEach(() => {
  place = createWorkplace();
});
afterEach(() => place[Symbol.dispose]());

const enter = '\r';

function sitDown(env: Readonly<Record<string, string>>, argv: readonly string[] = []): Terminal {
  return spawnTerminal(process.execPath, [...rondoProgram, ...argv], {
    cwd: place.project,
    env: place.env({ NO_COLOR: '1', ...env }),
  });
}

test("another vendor's model is asked for, and used once the person has said yes", async () => {
  await using server = await startModelServer({ script: [text('Hello.')] });
  await using terminal = sitDown({ MISTRAL_API_KEY: 'key-0123456789', MISTRAL_BASE_URL: server.url });
  await terminal.waitFor('No key for anthropic/claude-sonnet-5-5: ANTHROPIC_API_KEY is not set. There is here:');
  await terminal.waitFor('mistral/mistral-medium-latest  MISTRAL_API_KEY is set');
  await terminal.waitFor('Use it? y/N ');
  terminal.type(`maybe${enter}`);
  await terminal.waitFor('Use it? y/N ');
  expect(server.requests).toHaveLength(0);
  terminal.type(`y${enter}`);
  await terminal.waitFor('> ');
  terminal.type(`hi${enter}`);
  await terminal.waitFor('Hello.');
  expect(server.requests[0]?.body).toMatchObject({ model: 'mistral-medium-latest' });
});

test('Enter is no: nothing is used, and the ways on are told', async () => {
  await using terminal = sitDown({ MISTRAL_API_KEY: 'key-0123456789', OPENAI_API_KEY: 'key-1234567890' });
  await terminal.waitFor('1  openai/gpt-6.2-sol');
  await terminal.waitFor('2  mistral/mistral-medium-latest');
  await terminal.waitFor('Use one of them (1 to 2)? N ');
  terminal.type(enter);
  await terminal.waitFor('--model openai/gpt-6.2-sol');
  await terminal.waitFor('rondo demo');
  expect(await terminal.exited).toMatchObject({ exitCode: 1 });
});

test('with nothing at all the three ways on are told, before anything is asked', async () => {
  await using terminal = sitDown({});
  await terminal.waitFor('Three ways on:');
  await terminal.waitFor('rondo demo, which needs no key');
  expect(await terminal.exited).toMatchObject({ exitCode: 1 });
});

test('a model that was named is nobody to ask about', async () => {
  await using server = await startModelServer({ script: [text('Hello.')] });
  const env = { MISTRAL_API_KEY: 'key-0123456789', MISTRAL_BASE_URL: server.url };
  await using terminal = sitDown(env, ['--model', 'mistral-small-latest', 'hi']);
  await terminal.waitFor('Hello.');
  expect(terminal.screen).not.toContain('There is here');
});
