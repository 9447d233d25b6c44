import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPlace, type Place } from '../harness/place.ts';
import { runCommand, startProgram } from '../harness/start-command.ts';
import { writeScript } from '../harness/write-script.ts';

let place: Place;
beforeEach(() => {
  place = createPlace();
});
afterEach(() => place[Symbol.dispose]());

const program = join(import.meta.dirname, 'leftovers-program.ts');

test.skipIf(process.platform !== 'linux').each(['local', ...(existsSync('/usr/bin/bwrap') ? ['isolated'] : [])])(
  'of ten %s shells and hooks whose runtime was killed, none is left after the next start, which runs no command itself',
  { timeout: 60_000 },
  async (isolated) => {
    const run = startProgram(['--conditions=@rondo/source', program, isolated], { place });
    await run.printed('10 up');
    run.child.kill('SIGKILL');
    await run.exit;
    expect(place.processes().filter((name) => name.includes('sleep')).length).toBeGreaterThanOrEqual(10);
    const next = await runCommand({ place, args: ['-p', 'hello', ...writeScript(place, [{ text: 'hello' }])] });
    expect(next).toMatchObject({ exitCode: 0, stdout: 'hello\n' });
    expect(place.processes()).toEqual([]);
  },
);
