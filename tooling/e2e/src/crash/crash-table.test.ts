import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ScriptStep } from '@rondo/providers/scripted';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { askedRequests } from '../harness/asked-requests.ts';
import { createPlace, type Place } from '../harness/place.ts';
import { openTerminal } from '../harness/open-terminal.ts';
import { type RunningCommand, runCommand, startCommand, startProgram } from '../harness/start-command.ts';
import { storedEvents } from '../harness/stored-events.ts';
import { scriptModel } from '../harness/write-script.ts';
import { written } from '../harness/written.ts';

let place: Place;
let id: string;
/** Where the steps of a script write what they are asked. */
let asked: string;
beforeEach(() => {
  place = createPlace();
  id = randomUUID();
  asked = join(place.folder, 'asked.jsonl');
});
afterEach(() => {
  expect(place.processes()).toEqual([]);
  place[Symbol.dispose]();
});

const enter = '\r';

async function kill({ child, exit }: RunningCommand): Promise<void> {
  child.kill('SIGKILL');
  await exit;
}

/** Several processes play it, and each goes on where the log of the session ends. */
function model(...steps: readonly ScriptStep[]): string {
  return scriptModel(place, steps, { unused: 'ignore' });
}

/** A session whose process was killed while its command ran. */
async function killInTool(name: string): Promise<void> {
  const run = startCommand({
    place,
    args: ['-p', 'the first prompt', '--session-id', id, '--allowedTools', 'Bash', '--model', name],
  });
  expect(await written(join(place.project, 'runs'))).toBe('ran\n');
  await kill(run);
}

/** A session whose process was killed while the model spoke. */
async function killInText(name: string): Promise<void> {
  const stream = ['--output-format', 'stream-json', '--include-partial-messages'];
  const run = startCommand({ place, args: ['-p', 'the first prompt', '--session-id', id, ...stream, '--model', name] });
  await run.printed('half a ');
  await kill(run);
  // Whoever asks for the same again is held no more.
  writeFileSync(join(place.folder, 'go'), '');
}

/** A session whose process was killed while a person was asked. */
async function killInQuestion(name: string): Promise<void> {
  await using terminal = openTerminal({ place, args: ['the first prompt', '--session-id', id, '--model', name] });
  await terminal.waitFor('n [reason]: ');
  terminal.kill('SIGKILL');
  await terminal.exited;
}

async function openQuestions(): Promise<(string | undefined)[]> {
  const events = await storedEvents(place, id);
  return events.flatMap((event) =>
    event.type === 'callback.opened' && event.callback.type === 'approval' ? [event.callback.id] : [],
  );
}

const running: ScriptStep = { call: 'Bash', input: { command: 'echo ran >> runs; sleep 600' } };
const asking: ScriptStep = { call: 'Bash', input: { command: 'echo made >> made' } };
const unknown = { results: [{ matches: 'unknown; it was not run again', error: true }] };

/** Says half of it, and the rest to whoever asks again. */
const half = (): ScriptStep => ({
  text: ['half a ', 'whole sentence'],
  hold: { until: join(place.folder, 'go'), after: { events: 3 } },
  asked,
});

describe('issue 2, accept 5: after a crash', () => {
  test('row 1, rondo --continue -p: the turn is settled, its call is not run again, a new turn starts; also in another folder with another model', async () => {
    const steps = [
      running,
      { expect: { ...unknown, user: 'the second prompt' }, text: 'next' },
      { expect: { user: 'the third prompt' }, text: 'elsewhere' },
    ];
    const name = model(...steps);
    await killInTool(name);
    const next = await runCommand({ place, args: ['--continue', '-p', 'the second prompt', '--model', name] });
    expect(next).toMatchObject({ stdout: 'next\n', stderr: '', exitCode: 0 });
    expect(readFileSync(join(place.project, 'runs'), 'utf8')).toBe('ran\n');
    const events = await storedEvents(place, id);
    const records = events.flatMap((event) => (event.type === 'turn.ended' ? [event.record] : []));
    expect(records).toMatchObject([
      { type: 'interrupted', cause: 'crashed' },
      { type: 'completed', text: 'next' },
    ]);

    const other = join(place.folder, 'other');
    mkdirSync(other);
    const args = ['--resume', id, '-p', 'the third prompt', '--model', scriptModel(place, steps, { name: 'other' })];
    expect(await runCommand({ place, cwd: other, args })).toMatchObject({ stdout: 'elsewhere\n', exitCode: 0 });
  });

  test('row 2, rondo --resume on a terminal: shows where it stopped, and continues when told to', async () => {
    const name = model(half());
    await killInText(name);
    await using terminal = openTerminal({ place, args: ['--resume', id, '--model', name] });
    await terminal.waitFor('the first prompt');
    await terminal.waitFor('did not finish');
    terminal.type(`c${enter}`);
    await terminal.waitFor('half a whole sentence');
  });

  test('row 2, rondo --resume on a terminal: asks the open question again, and its answer works on', async () => {
    const name = model(asking, { expect: { results: [{ error: false }] }, text: 'Made.' });
    await killInQuestion(name);
    const [question] = await openQuestions();
    await using terminal = openTerminal({ place, args: ['--resume', id, '--model', name] });
    await terminal.waitFor('? Bash echo made >> made');
    await terminal.waitFor('n [reason]: ');
    terminal.type(`y${enter}`);
    await terminal.waitFor('Made.');
    expect(readFileSync(join(place.project, 'made'), 'utf8')).toBe('made\n');
    expect(await openQuestions()).toEqual([question]);
  });

  test('row 3, rondo --resume -p: continues when nothing is open', async () => {
    const name = model(half());
    await killInText(name);
    const { stdout, exitCode } = await runCommand({ place, args: ['--resume', id, '-p', '--model', name] });
    expect([stdout, exitCode]).toEqual(['half a whole sentence\n', 0]);
    const [first, second, ...more] = askedRequests(asked);
    expect(second).toEqual(first);
    expect(more).toEqual([]);
  });

  test('row 3, rondo --resume -p: a call of unknown outcome is told to the model, and not run again', async () => {
    const name = model(running, { expect: unknown, text: 'I look first.' });
    await killInTool(name);
    const { stdout, exitCode } = await runCommand({
      place,
      args: ['--resume', id, '-p', '--allowedTools', 'Bash', '--model', name],
    });
    expect([stdout, exitCode]).toEqual(['I look first.\n', 0]);
    expect(readFileSync(join(place.project, 'runs'), 'utf8')).toBe('ran\n');
  });

  test('row 3, rondo --resume -p: names the question that is open and its ID, and runs nothing', async () => {
    const name = model(asking);
    await killInQuestion(name);
    const [question] = await openQuestions();
    const { stdout, stderr, exitCode } = await runCommand({ place, args: ['--resume', id, '-p', '--model', name] });
    expect([stdout, exitCode]).toEqual(['', 1]);
    expect(stderr).toContain(question);
    expect(stderr).toContain('echo made >> made');
    expect(existsSync(join(place.project, 'made'))).toBe(false);
  });

  test('row 4, a host with the binding that started it: the question keeps its ID, and its answer continues the turn', async () => {
    const program = ['--conditions=@rondo/source', join(import.meta.dirname, 'asking-clerk-program.ts')];
    const orders = join(place.project, 'orders.txt');
    const name = model(
      { call: 'ship_order', input: { id: '7' } },
      { expect: { results: ['shipped 7'] }, text: 'It is on its way.' },
    );
    const first = startProgram([...program, name, 'start', '-', orders], { place });
    await first.printed('\n');
    first.child.kill('SIGKILL');
    const before = JSON.parse((await first.exit).stdout) as { sessionId: string; questions: string[] };
    expect(before.questions).toEqual([expect.stringMatching(/\S/)]);

    const second = await startProgram([...program, name, 'take up', before.sessionId, orders], { place }).exit;
    expect(second).toMatchObject({ stderr: '', exitCode: 0 });
    expect(JSON.parse(second.stdout)).toMatchObject({ ...before, record: 'completed', text: 'It is on its way.' });
    expect(readFileSync(orders, 'utf8')).toBe('7\n');
  });

  test('row 5, query() with resume and a streaming prompt: canUseTool is asked under the same ID until something is said', async () => {
    const program = ['--conditions=@rondo/source', join(import.meta.dirname, 'question-program.ts')];
    const name = model(asking, { text: 'Made.' });
    const first = startProgram([...program, name, 'start', id], { place });
    await first.printed('asked');
    first.child.kill('SIGKILL');
    const before = JSON.parse((await first.exit).stdout) as { asked: string };

    const second = await startProgram([...program, name, 'answer', id], { place }).exit;
    expect(second).toMatchObject({ stderr: '', exitCode: 0 });
    expect(
      second.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([before, { result: 'success', text: 'Made.' }]);
    expect(readFileSync(join(place.project, 'made'), 'utf8')).toBe('made\n');
  });

  test('row 5, query() with resume and a streaming prompt: the first message is row 1', async () => {
    const program = ['--conditions=@rondo/source', join(import.meta.dirname, 'question-program.ts')];
    const name = model(asking, { text: 'Left.' });
    const first = startProgram([...program, name, 'start', id], { place });
    await first.printed('asked');
    await kill(first);
    const second = await startProgram([...program, name, 'say', id], { place }).exit;
    expect(second).toMatchObject({ exitCode: 0 });
    expect(second.stdout).toContain('"text":"Left."');
    expect(existsSync(join(place.project, 'made'))).toBe(false);
  });
});
