import { randomInt } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPlace, type Place } from '../harness/place.ts';
import { runCommand, startCommand } from '../harness/start-command.ts';
import { writeScript } from '../harness/write-script.ts';

let place: Place;
beforeEach(() => {
  place = createPlace();
});
afterEach(() => place[Symbol.dispose]());

const canIsolate = ['bwrap', 'socat', 'setpriv'].every((name) => existsSync(`/usr/bin/${name}`));
/** In seconds, by which a process is found that has no environment. */
const mark = String(100_000 + randomInt(800_000));
const stubborn = `trap "" TERM HUP; (trap "" TERM HUP; setsid nohup sleep ${mark} >/dev/null 2>&1 &); (env -i setsid sleep ${mark} &); echo > up; sleep ${mark}`;

test.skipIf(!canIsolate).each([
  ['nothing remains', {}],
  [
    'nothing remains after the next start, where domains are allowed',
    { network: { allowedDomains: ['allowed.test'] } },
  ],
])('of a sandboxed command whose runtime was killed, %s', { timeout: 120_000 }, async (_, more) => {
  const sandbox = JSON.stringify({ sandbox: { enabled: true, ...more } });
  const script = writeScript(place, [{ call: 'Bash', input: { command: stubborn } }, { text: 'done' }]);
  const run = startCommand({ place, args: ['-p', 'go', '--settings', sandbox, ...script] });
  const up = join(place.project, 'up');
  await expect.poll(() => existsSync(up), { timeout: 60_000 }).toBe(true);
  await expect.poll(sleepers, { timeout: 60_000 }).toBeGreaterThanOrEqual(3);
  run.child.kill('SIGKILL');
  await run.exit;
  // The kernel ends the whole process namespace, without a signal that anybody could ignore.
  await expect.poll(sleepers, { timeout: 60_000 }).toBe(0);
  if ('network' in more) {
    const next = await runCommand({
      place,
      args: ['-p', 'hello', ...writeScript(place, [{ text: 'hello' }], { name: 'next' })],
    });
    expect(next).toMatchObject({ exitCode: 0, stdout: 'hello\n' });
  }
  await expect.poll(() => place.processes(), { timeout: 60_000 }).toEqual([]);
});

/** How many of them run on the whole machine. */
function sleepers(): number {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'latin1') === `sleep\0${mark}\0`;
    } catch {
      return false;
    }
  }).length;
}
