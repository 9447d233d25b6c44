import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { resultOf } from '../harness/output-lines.ts';
import { createPlace, type Place } from '../harness/place.ts';
import { runCommand, type RunningCommand, startCommand } from '../harness/start-command.ts';
import { storedEvents } from '../harness/stored-events.ts';
import { scriptModel } from '../harness/write-script.ts';

let place: Place;
let id: string;
beforeEach(() => {
  place = createPlace();
  id = randomUUID();
});
afterEach(() => {
  expect(place.processes()).toEqual([]);
  place[Symbol.dispose]();
});

const json = ['--output-format', 'json'];
const stream = ['--output-format', 'stream-json', '--include-partial-messages'];

/** The session of that ID at work in a process, which says `begun` and then waits for the model. */
async function startOwner(): Promise<RunningCommand> {
  const silent = { text: ['begun', ' and never ended'], fault: { silence: { events: 3 } } };
  const model = scriptModel(place, [silent], { name: 'silent' });
  const owner = startCommand({ place, args: ['-p', 'first', '--session-id', id, ...stream, '--model', model] });
  await owner.printed('begun');
  return owner;
}

function goOn(model: string, prompt: string): RunningCommand {
  return startCommand({ place, args: ['-p', prompt, '--resume', id, ...json, '--model', model] });
}

describe('issue 2, accept 6: processes on one session', () => {
  test('one owns it, and the other is told which; stopped it keeps it, killed it loses it at once', async () => {
    const asked = join(place.folder, 'asked.jsonl');
    const model = scriptModel(place, [{ expect: { user: 'fourth' }, text: 'mine', asked }], { order: 'once' });
    const owner = await startOwner();
    const other = await goOn(model, 'second').exit;
    expect(other.exitCode).toBe(1);
    expect(other.stderr).toContain(`process ${owner.child.pid}`);
    expect(resultOf(other.stdout)).toMatchObject({ is_error: true, session_id: id });

    owner.child.kill('SIGSTOP');
    expect((await goOn(model, 'third').exit).stderr).toContain(`process ${owner.child.pid}`);
    expect(existsSync(asked)).toBe(false);

    owner.child.kill('SIGKILL');
    await owner.exit;
    expect(resultOf((await goOn(model, 'fourth').exit).stdout)).toMatchObject({ subtype: 'success', result: 'mine' });
  });

  test('of eight that race, each turn is one process’s own, and every accepted prompt is there once', async () => {
    // Each process plays it from its beginning. The call keeps a turn at work long enough to be raced for.
    const model = scriptModel(
      place,
      [
        { call: 'Bash', input: { command: `echo $$ >> ${join(place.project, 'turns')}` } },
        { expect: { results: [{ error: false }] }, text: 'done' },
      ],
      { order: 'once', unused: 'ignore' },
    );
    const more = ['--allowedTools', 'Bash', '--model', model];
    await runCommand({ place, args: ['-p', 'prompt zero', '--session-id', id, ...more] });

    const racers = Array.from({ length: 8 }, (_, n) =>
      startCommand({
        place,
        args: ['-p', `prompt ${n + 1}.`, '--resume', id, ...json, ...more],
      }),
    );
    const exits = await Promise.all(racers.map(({ exit }) => exit));
    const won = exits.flatMap(({ exitCode }, n) => (exitCode === 0 ? [n] : []));
    expect(won.length, exits.map(({ stderr }) => stderr).join('\n')).toBeGreaterThan(0);
    const pids = racers.map(({ child }) => child.pid);
    for (const { exitCode, stderr } of exits) {
      if (exitCode === 0) continue;
      const owner = Number(/process (\d+)/.exec(stderr)?.[1]);
      expect(pids, stderr).toContain(owner);
    }

    const events = await storedEvents(place, id);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    const acquired = events.flatMap((event) => (event.type === 'session.acquired' ? [event] : []));
    expect(acquired.map(({ epoch }) => epoch)).toEqual(acquired.map((_, index) => index + 1));
    const owners = new Set(acquired.slice(1).map(({ host }) => host.pid));
    expect(owners).toEqual(new Set(won.map((n) => pids[n])));
    expect(acquired).toHaveLength(won.length + 1);
    // No event of a turn stands between those of another.
    const turns = events.flatMap((event) => ('turnId' in event && event.turnId !== undefined ? [event.turnId] : []));
    const runs = turns.filter((turn, index) => turn !== turns[index - 1]);
    expect(new Set(runs).size).toBe(runs.length);
    const said = events.flatMap((event) =>
      event.type === 'entry.completed' && event.entry.type === 'message' && event.entry.role === 'user'
        ? [JSON.stringify(event.entry.content)]
        : [],
    );
    for (const n of racers.keys())
      expect(said.filter((content) => content.includes(`prompt ${n + 1}.`))).toHaveLength(won.includes(n) ? 1 : 0);
    expect(place.files(place.project).get(join(place.project, 'turns'))?.toString().trimEnd().split('\n')).toHaveLength(
      won.length + 1,
    );
  });
});
