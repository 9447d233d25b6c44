import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPlace, type Place } from '../harness/place.ts';
import { startProgram } from '../harness/start-command.ts';
import { storedEvents } from '../harness/stored-events.ts';

const program = ['--conditions=@rondo/source', join(import.meta.dirname, 'nested-agents-program.ts')];

let place: Place;
let canary: string;
let path: string;
beforeEach(() => {
  place = createPlace();
  canary = join(place.folder, 'canary.log');
  const programs = join(place.folder, 'programs');
  mkdirSync(programs);
  mkdirSync(join(place.project, 'secrets'));
  writeFileSync(join(programs, 'canary'), `#!/bin/sh\necho ran >> '${canary}'\n`);
  chmodSync(join(programs, 'canary'), 0o755);
  path = `${programs}:${process.env['PATH'] ?? ''}`;
});
afterEach(() => {
  expect(place.processes()).toEqual([]);
  place[Symbol.dispose]();
});

interface Line {
  readonly sessionId?: string;
  readonly type?: string;
  readonly callbacks?: readonly { readonly id: string; readonly sessionId: string; readonly title: string }[];
}

const linesOf = (stdout: string): Line[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

async function killedAt(text: string, how: string, ...more: string[]): Promise<Line[]> {
  const running = startProgram([...program, place.home, how, place.project, path, ...more], { place });
  await running.printed(text);
  running.child.kill('SIGKILL');
  return linesOf((await running.exit).stdout);
}

test('issue 5, accept 7: an agent two levels down may not do what the root may not, nor after two deaths of its process; its question reaches the root', async () => {
  const begun = await killedAt('"blocked"', 'start');
  const root = begun[0]?.sessionId ?? '';
  const [question] = begun.find(({ type }) => type === 'blocked')?.callbacks ?? [];
  // What the root reads is the question of its agent's agent.
  expect(question).toMatchObject({ sessionId: expect.stringMatching(`^${root}\\.[^.]+\\.[^.]+$`) });
  expect(existsSync(join(place.project, 'before'))).toBe(false);

  const again = await killedAt('"blocked"', 'recover', root);
  expect(again.find(({ type }) => type === 'blocked')?.callbacks).toMatchObject([{ id: question?.id }]);

  const { exit } = startProgram([...program, place.home, 'answer', place.project, path, root, question?.id ?? ''], {
    place,
  });
  const { stdout, stderr, exitCode } = await exit;
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  expect(linesOf(stdout).at(-1)).toMatchObject({ type: 'completed', text: 'all done' });

  expect(existsSync(canary)).toBe(false);
  expect(readdirSync(join(place.project, 'secrets'))).toEqual([]);
  // What was asked about and what the root allows ran; what stood beside the denied did not.
  expect(readdirSync(place.project).toSorted()).toEqual(['allowed', 'before', 'secrets']);

  const events = await storedEvents(place, root);
  const decided = events.flatMap((event) => (event.type === 'tool.decided' ? [event] : []));
  const of = (depth: number) =>
    decided.filter(({ sessionId }) => sessionId.split('.').length === depth).map(({ decision }) => decision);
  expect(of(1)).toEqual(['allow', 'deny']);
  expect(of(2)).toEqual(['allow', 'deny']);
  expect(of(3)).toEqual(['deny', 'deny', 'deny', 'allow', 'deny', 'allow']);
  expect(events.filter(({ type }) => type === 'callback.opened')).toHaveLength(1);
}, 60_000);

test('the canary does run where nothing denies it', async () => {
  const { exit } = startProgram(['-e', "require('node:child_process').execSync('canary')"], {
    place,
    env: { PATH: path },
  });
  expect((await exit).exitCode).toBe(0);
  expect(existsSync(canary)).toBe(true);
});
