import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ModelServer, startModelServer, type Step, text, toolCall } from '@rondo/providers/testing';
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
const controlC = '\u0003';
const controlD = '\u0004';

interface Sitting extends AsyncDisposable {
  readonly terminal: Terminal;
  readonly server: ModelServer;
}

async function sitDown(script: readonly Step[], argv: readonly string[] = []): Promise<Sitting> {
  const server = await startModelServer({ script });
  const terminal = spawnTerminal(process.execPath, [...rondoProgram, ...argv], {
    cwd: place.project,
    env: place.env({ ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'sk-test-0123456789', NO_COLOR: '1' }),
  });
  return {
    terminal,
    server,
    async [Symbol.asyncDispose]() {
      await terminal[Symbol.asyncDispose]();
      await server.close();
    },
  };
}

test('a conversation: prompts, answers, and /exit', async () => {
  await using sitting = await sitDown([text('Hello.'), text('Good bye.')]);
  const { terminal, server } = sitting;
  await terminal.waitFor('> ');
  terminal.type(`hi${enter}`);
  await terminal.waitFor('Hello.');
  await terminal.waitFor('> ');
  terminal.type(`bye${enter}`);
  await terminal.waitFor('Good bye.');
  await terminal.waitFor('> ');
  terminal.type(`/exit${enter}`);
  await terminal.waitFor('rondo --resume ');
  expect(await terminal.exited).toMatchObject({ exitCode: 0 });
  expect(server.requests).toHaveLength(2);
});

test('a prompt on the command line is the first, and Ctrl-D leaves', async () => {
  await using sitting = await sitDown([text('Hello.')], ['hi']);
  const { terminal } = sitting;
  await terminal.waitFor('Hello.');
  await terminal.waitFor('> ');
  terminal.type(controlD);
  expect(await terminal.exited).toMatchObject({ exitCode: 0 });
});

test('a call is asked for: y runs it, n does not and hands on the reason', async () => {
  await using sitting = await sitDown([
    [toolCall('Bash', { command: 'touch first' })],
    [toolCall('Bash', { command: 'touch second' })],
    text('One of two.'),
  ]);
  const { terminal, server } = sitting;
  await terminal.waitFor('> ');
  terminal.type(`go${enter}`);
  await terminal.waitFor('? Bash touch first');
  await terminal.waitFor('n [reason]: ');
  terminal.type(`y${enter}`);
  await terminal.waitFor('? Bash touch second');
  await terminal.waitFor('n [reason]: ');
  terminal.type(`n one is enough${enter}`);
  await terminal.waitFor('One of two.');
  expect([existsSync(join(place.project, 'first')), existsSync(join(place.project, 'second'))]).toEqual([true, false]);
  expect(server.requests.at(-1)?.text).toContain('one is enough');
});

test('a allows the same for the session', async () => {
  await using sitting = await sitDown([
    [toolCall('Bash', { command: 'touch made' })],
    [toolCall('Bash', { command: 'touch made' })],
    text('Made twice.'),
  ]);
  const { terminal } = sitting;
  await terminal.waitFor('> ');
  terminal.type(`go${enter}`);
  await terminal.waitFor('? Bash touch made');
  await terminal.waitFor('a for the session');
  await terminal.waitFor('n [reason]: ');
  terminal.type(`a${enter}`);
  await terminal.waitFor('Made twice.');
});

test('Ctrl-C interrupts the turn, and the conversation goes on', async () => {
  const held = Promise.withResolvers<void>();
  await using sitting = await sitDown([text(['begun', held.promise]), text('Still here.')]);
  const { terminal } = sitting;
  await terminal.waitFor('> ');
  terminal.type(`go${enter}`);
  await terminal.waitFor('begun');
  terminal.type(controlC);
  await terminal.waitFor('interrupted');
  held.resolve();
  await terminal.waitFor('> ');
  terminal.type(`and now${enter}`);
  await terminal.waitFor('Still here.');
});

test.each([
  ['at the prompt', [] as Step[], '> '],
  ['in a turn', [text(['begun', new Promise(() => {})])], 'begun'],
])('Ctrl-C twice quits %s', async (_, script, reached) => {
  await using sitting = await sitDown(script, script.length === 0 ? [] : ['go']);
  const { terminal } = sitting;
  await terminal.waitFor(reached);
  terminal.type(controlC);
  terminal.type(controlC);
  expect(await terminal.exited).toMatchObject({ exitCode: 130 });
});

test('a resumed session shows where it was', async () => {
  {
    await using first = await sitDown([text('The word is rondo.')], ['remember a word']);
    await first.terminal.waitFor('The word is rondo.');
    await first.terminal.waitFor('> ');
    first.terminal.type(controlD);
    await first.terminal.exited;
  }
  await using second = await sitDown([], ['--continue']);
  await second.terminal.waitFor('> remember a word');
  await second.terminal.waitFor('The word is rondo.');
  await second.terminal.waitFor('> ');
});

test('what a model or a tool says cannot command the terminal', async () => {
  await using sitting = await sitDown(
    [
      [text('\u001b]0;owned\u0007'), toolCall('Bash', { command: "touch x; printf '\\033[2J\\033]0;x\\007'" })],
      text('ok'),
    ],
    ['go'],
  );
  const { terminal } = sitting;
  await terminal.waitFor('␛]0;owned␇');
  await terminal.waitFor('n [reason]: ');
  terminal.type(`y${enter}`);
  await terminal.waitFor('␛[2J␛]0;x␇');
  await terminal.waitFor('ok');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a title would begin so
  expect(terminal.screen).not.toMatch(/\u001b\]0;/);
});

test('a folder that is not trusted is shown and asked about first; with trust its rules count', async () => {
  mkdirSync(join(place.project, '.claude'));
  const settings = { permissions: { allow: ['Bash(touch first)'] } };
  writeFileSync(join(place.project, '.claude', 'settings.json'), JSON.stringify(settings));
  const script = [[toolCall('Bash', { command: 'touch first' })], text('Done.')];
  {
    await using sitting = await sitDown(script);
    const { terminal } = sitting;
    await terminal.waitFor('allows Bash(touch first)');
    await terminal.waitFor('goes on without it: ');
    terminal.type(`n${enter}`);
    await terminal.waitFor('> ');
    terminal.type(`go${enter}`);
    await terminal.waitFor('? Bash touch first');
    await terminal.waitFor('n [reason]: ');
    terminal.type(`n${enter}`);
    await terminal.waitFor('Done.');
  }
  expect(existsSync(join(place.project, 'first'))).toBe(false);
  await using sitting = await sitDown(script);
  const { terminal } = sitting;
  await terminal.waitFor('goes on without it: ');
  terminal.type(`maybe${enter}`);
  await terminal.waitFor('goes on without it: ');
  terminal.type(`y${enter}`);
  await terminal.waitFor('> ');
  terminal.type(`go${enter}`);
  await terminal.waitFor('Done.');
  expect(existsSync(join(place.project, 'first'))).toBe(true);
});
