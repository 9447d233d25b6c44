import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { startModelServer, text, toolCall } from '@rondo/providers/testing';
import { expect, test } from 'vitest';
import { openTerminal } from '../harness/open-terminal.ts';
import { createPlace, secretKey } from '../harness/place.ts';

const enter = '\r';
const controlC = '\u0003';

test('issue 2, build: a conversation on a terminal asks, obeys, is interrupted, goes on and is left by Ctrl-C twice', async () => {
  using place = createPlace();
  const held = Promise.withResolvers<void>();
  await using server = await startModelServer({
    script: [
      [text('I make it.'), toolCall('Bash', { command: 'touch made' })],
      text('Made, with 世界 👍.'),
      text(['A long story ', held.promise]),
      text('Here I am again.'),
    ],
  });
  {
    await using terminal = openTerminal({ place, server, args: [] });
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
    held.resolve();
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
