import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPlace, type Place } from '../harness/place.ts';
import { runCommand } from '../harness/start-command.ts';
import { writeScript } from '../harness/write-script.ts';

let place: Place;
beforeEach(() => {
  place = createPlace();
  mkdirSync(place.home, { recursive: true });
});
afterEach(() => place[Symbol.dispose]());

const settings = (text: string): void => writeFileSync(join(place.home, 'settings.json'), text);

function session() {
  const script = writeScript(place, [{ text: 'Trying.', call: 'Bash', input: { command: 'ls' } }, { text: 'Done.' }]);
  return runCommand({ place, args: ['-p', 'go', '--verbose', ...script] });
}

test('the built command reads settings with comments, commas too many and a byte order mark, and says so', async () => {
  settings('\uFEFF{\r\n  // nobody lists\r\n  "permissions": { "deny": ["Bash(ls:*)",] },\r\n}\r\n');
  const { stdout, stderr, exitCode } = await session();
  expect({ stdout, exitCode }).toEqual({ stdout: 'Done.\n', exitCode: 0 });
  expect(stderr).toContain('not allowed');
  // What is only odd is said where somebody asks.
  expect(stderr).not.toContain('comments');
  expect((await runCommand({ place, args: ['settings'] })).stdout).toContain('comments');
});

test('the built command starts nothing by settings that are broken, and names the place', async () => {
  settings('{ "permissions": { "deny": ["Bash(ls:*)" }');
  const { stderr, exitCode } = await session();
  expect(exitCode).not.toBe(0);
  expect(stderr).toContain(`${join(place.home, 'settings.json')}:1:`);
});
