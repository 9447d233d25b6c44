import { tmpdir } from 'node:os';
import { expect, test, vi } from 'vitest';
import { spawnTerminal } from '../testing/spawn-terminal.ts';

// Each test starts processes of its own; a busy machine takes its time with them.
vi.setConfig({ testTimeout: 60_000 });

/** Runs a keyboard on a real terminal; the code uses `keyboard` and tells what it got with `tell`. */
function withKeyboard(code: string) {
  const module = new URL('keyboard.ts', import.meta.url).href;
  const program = `
    import { openKeyboard } from '${module}';
    const keyboard = openKeyboard(process.stdin, process.stdout);
    const tell = (what) => process.stdout.write('<' + JSON.stringify(what) + '>\\n');
    ${code}
    keyboard.close();
  `;
  return spawnTerminal(process.execPath, ['--input-type=module', '-e', program], { cwd: tmpdir(), env: process.env });
}

const askOnce = `tell(await keyboard.readLine({ prompt: 'ask> ', purpose: 'prompt' }));`;

test('a line, edited with the keys of a terminal', async () => {
  await using terminal = withKeyboard(askOnce);
  await terminal.waitFor('ask> ');
  terminal.type('helo\u001b[Dl\r');
  await terminal.waitFor('<{"type":"line","text":"hello"}>');
  expect(await terminal.exited).toMatchObject({ exitCode: 0 });
});

test.each([
  ['marked by the terminal', '\u001b[200~one\rtwo\rthree\u001b[201~'],
  ['not marked', 'one\rtwo\rthree'],
])('a paste of several lines, %s, is one prompt and waits for Enter', async (_, paste) => {
  await using terminal = withKeyboard(askOnce);
  await terminal.waitFor('ask> ');
  terminal.type(paste);
  await terminal.waitFor('three');
  terminal.type('!\r');
  await terminal.waitFor('<{"type":"line","text":"one\\ntwo\\nthree!"}>');
});

test('Ctrl-C empties the line, then interrupts; Ctrl-D ends', async () => {
  await using terminal = withKeyboard(`${askOnce}${askOnce}`);
  await terminal.waitFor('ask> ');
  terminal.type('something');
  await terminal.waitFor('something');
  terminal.type('\u0003');
  await terminal.waitFor('ask> ');
  terminal.type('\u0003');
  await terminal.waitFor('<{"type":"interrupt"}>');
  await terminal.waitFor('ask> ');
  terminal.type('\u0004');
  await terminal.waitFor('<{"type":"end"}>');
});

test('what was typed before a question does not answer it, and waits for the next prompt', async () => {
  await using terminal = withKeyboard(`
    const typed = new Promise((resolve) => process.stdin.on('keypress', (text) => text === '!' && resolve()));
    tell('working');
    await typed;
    tell(await keyboard.readLine({ prompt: 'allow? ', purpose: 'answer' }));
    ${askOnce}
  `);
  await terminal.waitFor('<"working">');
  terminal.type('y\r!');
  await terminal.waitFor('allow? ');
  terminal.type('n\r');
  await terminal.waitFor('<{"type":"line","text":"n"}>');
  await terminal.waitFor('y !');
  terminal.type('\r');
  await terminal.waitFor('<{"type":"line","text":"y !"}>');
});

test('Ctrl-C while nothing is asked is told, and a withdrawn question ends', async () => {
  await using terminal = withKeyboard(`
    const controller = new AbortController();
    const pressed = new Promise((resolve) => { keyboard.onInterrupt = resolve; });
    tell('working');
    await pressed;
    const answer = keyboard.readLine({ prompt: 'ask> ', purpose: 'prompt', signal: controller.signal });
    setImmediate(() => controller.abort());
    tell(await answer);
    tell(await keyboard.readLine({ prompt: 'next> ', purpose: 'prompt' }));
  `);
  await terminal.waitFor('<"working">');
  terminal.type('\u0003');
  await terminal.waitFor('<{"type":"interrupt"}>');
  await terminal.waitFor('next> ');
  terminal.type('on\r');
  await terminal.waitFor('<{"type":"line","text":"on"}>');
});
