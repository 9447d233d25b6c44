import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ModelServer, startModelServer, text, toolCall } from '@rondo/providers/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createPlace, type Place } from '../harness/place.ts';
import { openTerminal } from '../harness/open-terminal.ts';
import { type RunningCommand, runCommand, startCommand, startProgram } from '../harness/start-command.ts';
import { storedEvents } from '../harness/stored-events.ts';
import { toolResults } from '../harness/wire-request.ts';
import { written } from '../harness/written.ts';

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

const enter = '\r';

async function kill({ child, exit }: RunningCommand): Promise<void> {
  child.kill('SIGKILL');
  await exit;
}

/** A session whose process was killed while its command ran. */
async function killInTool(server: ModelServer): Promise<void> {
  const run = startCommand({
    place,
    server,
    args: ['-p', 'the first prompt', '--session-id', id, '--allowedTools', 'Bash'],
  });
  expect(await written(join(place.project, 'runs'))).toBe('ran\n');
  await kill(run);
}

/** A session whose process was killed while the model spoke. */
async function killInText(server: ModelServer): Promise<void> {
  const stream = ['--output-format', 'stream-json', '--include-partial-messages'];
  const run = startCommand({ place, server, args: ['-p', 'the first prompt', '--session-id', id, ...stream] });
  await run.printed('half a sentence');
  await kill(run);
}

/** A session whose process was killed while a person was asked. */
async function killInQuestion(server: ModelServer): Promise<void> {
  await using terminal = openTerminal({ place, server, args: ['the first prompt', '--session-id', id] });
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

const never = new Promise<never>(() => {});
const running = toolCall('Bash', { command: 'echo ran >> runs; sleep 600' });
const asking = toolCall('Bash', { command: 'echo made >> made' });
const half = text(['half a sentence', never]);

describe('issue 2, accept 5: after a crash', () => {
  test('row 1, rondo --continue -p: the turn is settled, its call is not run again, a new turn starts; also in another folder with another model', async () => {
    await using server = await startModelServer({ script: [[running], text('next'), text('elsewhere')] });
    await killInTool(server);
    const next = await runCommand({ place, server, args: ['--continue', '-p', 'the second prompt'] });
    expect(next).toMatchObject({ stdout: 'next\n', stderr: '', exitCode: 0 });
    expect(readFileSync(join(place.project, 'runs'), 'utf8')).toBe('ran\n');
    expect(toolResults(server.requests[1])).toEqual([expect.stringMatching(/unknown; it was not run again/)]);
    const events = await storedEvents(place, id);
    const records = events.flatMap((event) => (event.type === 'turn.ended' ? [event.record] : []));
    expect(records).toMatchObject([
      { type: 'interrupted', cause: 'crashed' },
      { type: 'completed', text: 'next' },
    ]);

    const other = join(place.folder, 'other');
    mkdirSync(other);
    const args = ['--resume', id, '-p', 'the third prompt', '--model', 'opus'];
    expect(await runCommand({ place, server, cwd: other, args })).toMatchObject({ stdout: 'elsewhere\n', exitCode: 0 });
  });

  test('row 2, rondo --resume on a terminal: shows where it stopped, and continues when told to', async () => {
    await using server = await startModelServer({ script: [half, text('a whole sentence')] });
    await killInText(server);
    await using terminal = openTerminal({ place, server, args: ['--resume', id] });
    await terminal.waitFor('the first prompt');
    await terminal.waitFor('did not finish');
    terminal.type(`c${enter}`);
    await terminal.waitFor('a whole sentence');
  });

  test('row 2, rondo --resume on a terminal: asks the open question again, and its answer works on', async () => {
    await using server = await startModelServer({ script: [[asking], text('Made.')] });
    await killInQuestion(server);
    const [question] = await openQuestions();
    await using terminal = openTerminal({ place, server, args: ['--resume', id] });
    await terminal.waitFor('? Bash echo made >> made');
    await terminal.waitFor('n [reason]: ');
    terminal.type(`y${enter}`);
    await terminal.waitFor('Made.');
    expect(readFileSync(join(place.project, 'made'), 'utf8')).toBe('made\n');
    expect(await openQuestions()).toEqual([question]);
  });

  test('row 3, rondo --resume -p: continues when nothing is open', async () => {
    await using server = await startModelServer({ script: [half, text('a whole sentence')] });
    await killInText(server);
    const { stdout, exitCode } = await runCommand({ place, server, args: ['--resume', id, '-p'] });
    expect([stdout, exitCode]).toEqual(['a whole sentence\n', 0]);
    expect(server.requests[1]?.text).toBe(server.requests[0]?.text);
  });

  test('row 3, rondo --resume -p: a call of unknown outcome is told to the model, and not run again', async () => {
    await using server = await startModelServer({ script: [[running], text('I look first.')] });
    await killInTool(server);
    const { stdout, exitCode } = await runCommand({
      place,
      server,
      args: ['--resume', id, '-p', '--allowedTools', 'Bash'],
    });
    expect([stdout, exitCode]).toEqual(['I look first.\n', 0]);
    expect(readFileSync(join(place.project, 'runs'), 'utf8')).toBe('ran\n');
    expect(toolResults(server.requests[1])).toEqual([expect.stringMatching(/unknown; it was not run again/)]);
  });

  test('row 3, rondo --resume -p: names the question that is open and its ID, and runs nothing', async () => {
    await using server = await startModelServer({ script: [[asking]] });
    await killInQuestion(server);
    const [question] = await openQuestions();
    const { stdout, stderr, exitCode } = await runCommand({ place, server, args: ['--resume', id, '-p'] });
    expect([stdout, exitCode]).toEqual(['', 1]);
    expect(stderr).toContain(question);
    expect(stderr).toContain('echo made >> made');
    expect(existsSync(join(place.project, 'made'))).toBe(false);
  });

  test('row 4, a host with the binding that started it: the question keeps its ID, and its answer continues the turn', async () => {
    const program = ['--conditions=@rondo/source', join(import.meta.dirname, 'asking-clerk-program.ts')];
    const orders = join(place.project, 'orders.txt');
    await using server = await startModelServer({
      script: [[toolCall('ship_order', { id: '7' })], text('It is on its way.')],
    });
    const first = startProgram([...program, 'start', '-', orders], { place, server });
    await first.printed('\n');
    first.child.kill('SIGKILL');
    const before = JSON.parse((await first.exit).stdout) as { sessionId: string; questions: string[] };
    expect(before.questions).toEqual([expect.stringMatching(/\S/)]);

    const second = await startProgram([...program, 'take up', before.sessionId, orders], { place, server }).exit;
    expect(second).toMatchObject({ stderr: '', exitCode: 0 });
    expect(JSON.parse(second.stdout)).toMatchObject({ ...before, record: 'completed', text: 'It is on its way.' });
    expect(readFileSync(orders, 'utf8')).toBe('7\n');
  });

  test('row 5, query() with resume and a streaming prompt: canUseTool is asked under the same ID until something is said', async () => {
    const program = ['--conditions=@rondo/source', join(import.meta.dirname, 'question-program.ts')];
    await using server = await startModelServer({ script: [[asking], text('Made.')] });
    const first = startProgram([...program, 'start', id], { place, server });
    await first.printed('asked');
    first.child.kill('SIGKILL');
    const before = JSON.parse((await first.exit).stdout) as { asked: string };

    const second = await startProgram([...program, 'answer', id], { place, server }).exit;
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
    await using server = await startModelServer({ script: [[asking], text('Left.')] });
    const first = startProgram([...program, 'start', id], { place, server });
    await first.printed('asked');
    await kill(first);
    const second = await startProgram([...program, 'say', id], { place, server }).exit;
    expect(second).toMatchObject({ exitCode: 0 });
    expect(second.stdout).toContain('"text":"Left."');
    expect(existsSync(join(place.project, 'made'))).toBe(false);
  });
});
