import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createWorkplace, runRondo, type Workplace } from '../testing/spawn-rondo.ts';
import type { ModelsReport } from './describe-models.ts';

// Each test starts processes of its own; a busy machine takes its time with them.
vi.setConfig({ testTimeout: 60_000 });

let place: Workplace;
beforeEach(() => {
  place = createWorkplace();
});
afterEach(() => place[Symbol.dispose]());

function rondo(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return runRondo(argv, { cwd: place.project, env: place.env(env) });
}

function settings(content: unknown): void {
  mkdirSync(place.home, { recursive: true });
  writeFileSync(join(place.home, 'settings.json'), JSON.stringify(content));
}

test('without a key and without a network, plain text', async () => {
  const { stdout, stderr, exitCode } = await rondo(['models']);
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  expect(stdout).toContain('anthropic  no key: set ANTHROPIC_API_KEY, or ANTHROPIC_AUTH_TOKEN');
  expect(stdout).toContain('Short names');
  expect(stdout).not.toContain('\u001b');
});

test('--json is for programs, and holds no key', async () => {
  settings({ model: 'mine', models: { aliases: { mine: 'mistral-small-latest' } } });
  const env = {
    MISTRAL_API_KEY: 'key-of-mistral-0123456789',
    OPENAI_BASE_URL: 'http://me:word-0123456789@127.0.0.1:9/v1',
  };
  const { stdout, exitCode } = await rondo(['models', '--json'], env);
  expect(exitCode).toBe(0);
  expect(stdout).not.toContain('0123456789');
  const report = JSON.parse(stdout) as ModelsReport;
  expect(report.catalogDate).toMatch(/^\d{4}-\d\d-\d\d$/);
  expect(report.default).toMatchObject({
    alias: 'mine',
    model: 'mistral/mistral-small-latest',
    from: join(place.home, 'settings.json'),
  });
  expect(report.providers.find(({ name }) => name === 'mistral')).toMatchObject({ keyFrom: 'MISTRAL_API_KEY' });
  expect(report.providers.find(({ name }) => name === 'openai')).toMatchObject({
    keyFrom: null,
    baseUrl: { variable: 'OPENAI_BASE_URL', value: 'http://127.0.0.1:9/v1' },
  });
  expect(report.providers.flatMap(({ models }) => models).find(({ name }) => name.endsWith('claude-opus-5-5'))).toEqual(
    {
      name: 'anthropic/claude-opus-5-5',
      contextWindow: 1_000_000,
      maxOutputTokens: 128_000,
      price: { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5, cacheWriteOneHour: 8 },
      input: expect.objectContaining({ documents: ['application/pdf'] }),
    },
  );
});

test('a filter that nothing has in its name is an error with what may have been meant', async () => {
  const { stderr, exitCode } = await rondo(['models', 'gpt-6.1-sool']);
  expect(exitCode).toBe(1);
  expect(stderr).toContain('has "gpt-6.1-sool" in its name. Did you mean gpt-6.1-sol');
  expect((await rondo(['models', 'gpt', 'claude'])).stderr).toContain('takes one FILTER, not also "claude"');
  expect((await rondo(['models', '--jsno'])).stderr).toContain('Did you mean --json?');
});

test('settings that are wrong are told with their place', async () => {
  settings({ models: { servers: { mine: { baseUrl: 'http://a', apiKey: 'sk-secret-0123456789' } } } });
  const { stderr, exitCode } = await rondo(['models']);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(
    `${join(place.home, 'settings.json')}:1:52: models.servers.mine.apiKey would keep a key in settings`,
  );
  expect(stderr).not.toContain('sk-secret');
});

test('only this machine is looked at', async () => {
  const { stderr, exitCode } = await rondo(['models'], { RONDO_LOCAL_SERVERS: '8000 http://models.example:80' });
  expect(exitCode).toBe(2);
  expect(stderr).toContain('RONDO_LOCAL_SERVERS: "http://models.example:80" is no port or URL of this machine.');
});

test('no key and no flag: the error says what could be used here, by its flag', async () => {
  const none = await rondo(['-p', 'hi']);
  expect(none.exitCode).toBe(1);
  expect(none.stderr).toContain('No key for anthropic/claude-sonnet-5-5.');
  for (const way of ['set a key: ANTHROPIC_API_KEY', 'start a local server', 'rondo demo'])
    expect(none.stderr).toContain(way);

  const other = await rondo(['-p', 'hi', '--output-format', 'json'], { MISTRAL_API_KEY: 'key-0123456789' });
  expect(other.exitCode).toBe(1);
  expect(other.stderr).toContain('  --model mistral/mistral-medium-latest  MISTRAL_API_KEY is set');
  expect(JSON.parse(other.stdout)).toMatchObject({
    is_error: true,
    errors: [expect.stringContaining('--model mistral/')],
  });

  const named = await rondo(['-p', 'hi', '--model', 'opus'], { MISTRAL_API_KEY: 'key-0123456789' });
  expect(named.stderr).not.toContain('mistral');
});

test('--model with a typo names candidates and reaches nobody', async () => {
  const { stderr, exitCode } = await rondo(['-p', 'hi', '--model', 'mistal/mistral-large-4'], {
    MISTRAL_API_KEY: 'key-0123456789',
  });
  expect(exitCode).toBe(1);
  expect(stderr).toContain('No model is called "mistal/mistral-large-4". Did you mean');
  expect(stderr).toContain('mistral/mistral-large-4');
});
