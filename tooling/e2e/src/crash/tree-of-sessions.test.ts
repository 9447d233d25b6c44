import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPlace, type Place } from '../harness/place.ts';
import { startProgram } from '../harness/start-command.ts';
import { storedEvents } from '../harness/stored-events.ts';

const program = ['--conditions=@rondo/source', join(import.meta.dirname, 'tree-program.ts')];

let place: Place;
beforeEach(() => {
  place = createPlace();
});
afterEach(() => {
  expect(place.processes()).toEqual([]);
  place[Symbol.dispose]();
});

interface Line {
  readonly sessionId?: string;
  readonly type?: string;
  readonly callbacks?: readonly { readonly id: string; readonly sessionId: string }[];
}

/** What a process of the program prints, until it is killed at the line that it has got to. */
async function killedAt(text: string, args: readonly string[]): Promise<Line[]> {
  const { child, exit, printed } = startProgram([...program, ...args], { place });
  await printed(text);
  child.kill('SIGKILL');
  return linesOf((await exit).stdout);
}

async function ended(args: readonly string[]): Promise<Line[]> {
  const { exit } = startProgram([...program, ...args], { place });
  const { stdout, stderr, exitCode } = await exit;
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  return linesOf(stdout);
}

const linesOf = (stdout: string): Line[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

test('subagent.blocked.anyDepth, answer.subagentCallbacks: an agent’s question outlives every process, is answered by one that runs nothing, and its tool runs once', async () => {
  const charges = join(place.folder, 'charges.txt');
  const home = place.home;
  const begun = await killedAt('"blocked"', [home, 'start', charges]);
  const sessionId = begun[0]?.sessionId ?? '';
  const [question] = begun.find(({ type }) => type === 'blocked')?.callbacks ?? [];
  const child = question?.sessionId ?? '';
  expect(child.startsWith(`${sessionId}.`)).toBe(true);

  for (let restart = 0; restart < 2; restart += 1) {
    const lines = await killedAt('"blocked"', [home, 'recover', charges, sessionId]);
    expect(lines[0]).toEqual([{ sessionId, outcome: 'continued' }]);
    expect(lines.find(({ type }) => type === 'blocked')?.callbacks).toMatchObject([
      { id: question?.id, sessionId: child },
    ]);
  }

  const answered = await ended([home, 'answer', charges, sessionId, question?.id ?? '']);
  expect(answered[0]).toMatchObject({ type: 'answered', sessionId: child });
  expect(answered[1]).toMatchObject({ id: sessionId, status: 'running' });
  expect(existsSync(charges)).toBe(false);

  const last = await ended([home, 'recover', charges, sessionId]);
  expect(last.at(-1)).toMatchObject({ type: 'completed', text: 'all done' });
  expect(readFileSync(charges, 'utf8')).toBe('charged\n');

  const events = await storedEvents(place, sessionId);
  expect(events.filter(({ type }) => type === 'session.created').map((event) => event.sessionId)).toEqual([
    sessionId,
    child,
  ]);
  expect(events.filter(({ type }) => type === 'callback.opened')).toHaveLength(1);
  expect(events.filter(({ type }) => type === 'callback.resolved')).toMatchObject([{ by: 'another process' }]);
  const records = events.flatMap((event) => (event.type === 'turn.ended' ? [event.record] : []));
  expect(records).toMatchObject([
    { sessionId: child, type: 'completed', text: 'charged it' },
    { sessionId, type: 'completed', text: 'all done' },
  ]);
});
