import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPlace, type Place } from '../harness/place.ts';
import { runCommand } from '../harness/start-command.ts';
import { writeScript } from '../harness/write-script.ts';

let place: Place;
beforeEach(() => {
  place = createPlace();
});
afterEach(() => {
  expect(place.processes()).toEqual([]);
  place[Symbol.dispose]();
});

async function answer(): Promise<void> {
  const model = writeScript(place, [{ call: 'Bash', input: { command: 'echo here' } }, { text: 'Done.' }]);
  const exit = await runCommand({ place, args: ['-p', 'look', ...model, '--allowedTools', 'Bash'] });
  expect(exit).toEqual({ stdout: 'Done.\n', stderr: '', exitCode: 0, signal: null });
}

function keptCode(): Map<string, number> {
  const folder = join(place.home, 'cache', 'compile');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.code'));
  return new Map(names.map((name) => [join(folder, name), statSync(join(folder, name)).ino]));
}

test('the command keeps the code that it ran, once', async () => {
  await answer();
  const kept = keptCode();
  expect([...kept.keys()].some((file) => /\/turn-[^/]+\.code$/.test(file))).toBe(true);
  await answer();
  expect(keptCode()).toEqual(kept);
});

test('code that is damaged or cut off is not run, and is replaced', async () => {
  await answer();
  const kept = [...keptCode().keys()];
  const whole = kept.map((file) => readFileSync(file));
  const damages: readonly ((code: Buffer) => Buffer)[] = [
    (code) => code.map((byte, index) => (index === code.length >> 1 ? byte ^ 0xff : byte)) as Buffer,
    (code) => code.subarray(0, code.length >> 1),
    () => Buffer.alloc(0),
  ];
  for (const damage of damages) {
    for (const [index, file] of kept.entries()) writeFileSync(file, damage(whole[index] ?? Buffer.alloc(0)));
    await answer();
    for (const file of kept) expect(readFileSync(file).length).toBeGreaterThan(1000);
  }
});
