import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openTerminal } from '../harness/open-terminal.ts';
import { createPlace, secretKey } from '../harness/place.ts';
import { writeScript } from '../harness/write-script.ts';

const enter = '\r';
const controlC = '\u0003';

test('issue 2, build: a conversation on a terminal asks, obeys, is interrupted, goes on and is left by Ctrl-C twice', async () => {
  using place = createPlace();
  const args = writeScript(place, [
    { expect: { user: 'make it' }, text: 'I make it.', call: 'Bash', input: { command: 'touch made' } },
    { expect: { results: [{ error: false }] }, text: 'Made, with 世界 👍.' },
    {
      expect: { user: 'tell a story' },
      text: 'A long story that is never told',
      hold: { until: 'never', after: { events: 5 } },
    },
    { expect: { user: 'still there?' }, text: 'Here I am again.' },
  ]);
  {
    await using terminal = openTerminal({ place, args });
    await terminal.waitFor('> ');
    terminal.type(`make it${enter}`);
    await terminal.waitFor('? Bash touch made');
    await terminal.waitFor('n [reason]: ');
    expect(existsSync(join(place.project, 'made'))).toBe(false);
    terminal.type(`y${enter}`);
    await terminal.waitFor('Made, with 世界 👍.');
    expect(existsSync(join(place.project, 'made'))).toBe(true);
    await terminal.waitFor('> ');
    terminal.type(`tell a story about ${secretKey}${enter}`);
    await terminal.waitFor('A long story');
    terminal.type(controlC);
    await terminal.waitFor('interrupted');
    await terminal.waitFor('> ');
    terminal.type(`still there?${enter}`);
    await terminal.waitFor('Here I am again.');
    await terminal.waitFor('> ');
    terminal.type(controlC);
    await terminal.waitFor('Ctrl-C again quits.');
    terminal.type(controlC);
    expect(await terminal.exited).toMatchObject({ exitCode: 130 });
  }
  expect(place.processes()).toEqual([]);
  expect([...place.files()].filter(([, bytes]) => bytes.includes(secretKey))).toEqual([]);
});
