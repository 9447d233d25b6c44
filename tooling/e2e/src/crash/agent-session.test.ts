import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { askedRequests } from '../harness/asked-requests.ts';
import { createPlace, type Place } from '../harness/place.ts';
import { runCommand, startProgram } from '../harness/start-command.ts';
import { storedEvents } from '../harness/stored-events.ts';
import { scriptModel } from '../harness/write-script.ts';
import { written } from '../harness/written.ts';

const program = ['--conditions=@rondo/source', join(import.meta.dirname, 'clerk-program.ts')];

let place: Place;
beforeEach(() => {
  place = createPlace();
});
afterEach(() => {
  expect(place.processes()).toEqual([]);
  place[Symbol.dispose]();
});

test('issue 2, accept 5: a session of an agent, killed inside its own tool, is not the command’s to go on with, and is its program’s', async () => {
  const shop = join(place.folder, 'shop');
  mkdirSync(shop);
  const orders = join(shop, 'orders.txt');
  const asked = join(place.folder, 'asked.jsonl');
  const model = scriptModel(
    place,
    [
      { call: 'ship_order', input: { id: '7', wait: true }, asked },
      { expect: { user: 'What became of order 7?' }, text: 'Nobody knows. I ask the shop.', asked },
    ],
    { unused: 'ignore' },
  );
  const clerk = startProgram([...program, model, 'start', '-', orders], { place, cwd: shop });
  expect(await written(orders)).toBe('7\n');
  clerk.child.kill('SIGKILL');
  const sessionId = (await clerk.exit).stdout.trim();
  const before = await storedEvents(place, sessionId);

  const resumed = await runCommand({ place, args: ['--resume', sessionId, '-p', '--model', model] });
  expect(resumed).toMatchObject({ stdout: '', exitCode: 1 });
  expect(resumed.stderr).toMatch(/agent "clerk".*--fork-session/s);

  const debug = join(place.folder, 'debug.jsonl');
  const json = ['--output-format', 'json', '--debug-file', debug, '--model', model];
  const next = await runCommand({ place, cwd: shop, args: ['--continue', '-p', 'next', ...json] });
  expect(next.exitCode).toBe(1);
  expect(next.stderr).toMatch(/agent "clerk".*--fork-session/s);
  expect(JSON.parse(next.stdout)).toMatchObject({ subtype: 'error_during_execution', is_error: true });
  expect(readFileSync(debug, 'utf8')).toContain('session.config_mismatch');
  expect(readFileSync(orders, 'utf8')).toBe('7\n');
  expect(await storedEvents(place, sessionId)).toEqual(before);
  expect(askedRequests(asked)).toHaveLength(1);

  const same = startProgram([...program, model, 'go on', sessionId, orders], { place, cwd: shop });
  expect(await same.exit).toMatchObject({ stdout: 'Nobody knows. I ask the shop.\n', stderr: '', exitCode: 0 });
  expect(readFileSync(orders, 'utf8')).toBe('7\n');
  const events = await storedEvents(place, sessionId);
  expect(events.filter((event) => event.type === 'tool.completed')).toMatchObject([{ outcome: 'unknown' }]);
  const records = events.flatMap((event) => (event.type === 'turn.ended' ? [event.record] : []));
  expect(records).toMatchObject([{ type: 'interrupted', cause: 'crashed' }, { type: 'completed' }]);
});
