import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startModelServer, status, text, toolCall } from '@rondo/providers/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPlace, type Place } from '../harness/place.ts';
import { runCommand } from '../harness/start-command.ts';

let place: Place;
beforeEach(() => {
  place = createPlace();
});
afterEach(() => place[Symbol.dispose]());

const key = 'key-e2e-0123456789-abcdefghij';

interface Wire {
  readonly provider: string;
  readonly model: string;
  readonly variable: string;
  /** What leads the vendor's requests to the server. */
  readonly address: (url: string) => Readonly<Record<string, string>>;
  /** The server wants a call back as it signed it, which it cannot be once a key is gone from it. */
  readonly signsCalls?: true;
}

const wires: readonly Wire[] = [
  {
    provider: 'anthropic',
    model: 'anthropic/claude-sonnet-5-5',
    variable: 'ANTHROPIC_AUTH_TOKEN',
    address: (url) => ({ ANTHROPIC_BASE_URL: url }),
  },
  {
    provider: 'openai',
    model: 'openai/gpt-6.2-sol',
    variable: 'OPENAI_API_KEY',
    address: (url) => ({ OPENAI_BASE_URL: `${url}/v1` }),
  },
  {
    provider: 'mistral',
    model: 'mistral/mistral-small-latest',
    variable: 'MISTRAL_API_KEY',
    address: (url) => ({ MISTRAL_BASE_URL: `${url}/mistral` }),
  },
  {
    provider: 'google',
    model: 'google/gemini-4-neon',
    variable: 'GEMINI_API_KEY',
    address: (url) => ({ GEMINI_BASE_URL: url }),
    signsCalls: true,
  },
  {
    provider: 'a server of the settings',
    model: 'openai-compatible/house/qwen3',
    variable: 'HOUSE_WORD',
    address(url) {
      const servers = { house: { baseUrl: `${url}/v1`, apiKeyVariable: 'HOUSE_WORD' } };
      mkdirSync(place.home, { recursive: true });
      writeFileSync(join(place.home, 'settings.json'), JSON.stringify({ models: { servers } }));
      return {};
    },
  },
];

test.each(wires)(
  'pains A, house: the key of $provider is sent to it, and is in no file, no output and no command',
  async ({ model, variable, address, signsCalls }) => {
    const seen = join(place.project, 'environment.txt');
    await using server = await startModelServer({
      script: [
        status(503, { message: `try again, ${key}` }),
        [
          text(['The key is ', key.slice(0, 12), key.slice(12), '.']),
          toolCall('Bash', { command: `env > ${seen}; env; echo ${signsCalls ? '' : key}` }),
        ],
        text(`Again: ${key}`),
      ],
    });
    const debug = join(place.folder, 'debug.jsonl');
    const format = ['--output-format', 'stream-json', '--include-partial-messages'];
    const args = ['-p', 'Say it.', '--model', model, '--allowedTools', 'Bash', '--debug-file', debug, '--verbose'];
    const env = { ANTHROPIC_API_KEY: undefined, ...address(server.url), [variable]: key };
    const { stdout, stderr, exitCode } = await runCommand({ place, args: [...args, ...format], env });
    expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(server.requests).toHaveLength(3);
    expect(JSON.stringify(server.requests[0]?.headers)).toContain(key);
    expect(readFileSync(seen, 'utf8')).not.toContain(variable);
    expect(`${stdout}${stderr}`).not.toContain(key);
    expect(stdout).toContain('[redacted]');
    expect(readFileSync(debug, 'utf8')).toContain('"event":"end"');
    expect([...place.files()].filter(([, bytes]) => bytes.includes(key)).map(([path]) => path)).toEqual([]);

    const listed = await runCommand({ place, args: ['models', '--json'], env });
    expect(listed.stdout).toContain(variable);
    expect(`${listed.stdout}${listed.stderr}`).not.toContain(key);
  },
);
