import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startModelServer, status, text, thinking, toolCall } from '@rondo/providers/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { resultOf } from '../harness/output-lines.ts';
import { createPlace, type Place, secretKey } from '../harness/place.ts';
import { type CommandExit, runCommand } from '../harness/start-command.ts';
import { writeScript } from '../harness/write-script.ts';

let place: Place;
beforeEach(() => {
  place = createPlace();
  writeFileSync(join(place.project, 'stock.txt'), '12 pens\n');
});
afterEach(() => place[Symbol.dispose]());

const allowed = ['--allowedTools', 'Bash', '--output-format', 'json'];

function rondo(...args: string[]): Promise<CommandExit> {
  return runCommand({ place, args, env: { ANTHROPIC_API_KEY: undefined } });
}

/** A run against the real adapter and a server that speaks its wire: reasoning, a retry, a call that shows the key. */
async function record(file: string, ...more: string[]): Promise<string> {
  await using server = await startModelServer({
    apiKey: secretKey,
    script: [
      status(529, { retryAfter: 0 }),
      [
        thinking('I look.'),
        text('Let me see.'),
        toolCall('Bash', { command: `cat stock.txt; echo ${secretKey}; pwd` }),
      ],
      text('12 pens.'),
    ],
  });
  const args = ['-p', 'What is left?', '--record', file, ...allowed, ...more];
  const { stdout, exitCode } = await runCommand({ place, server, args });
  expect(exitCode).toBe(0);
  return resultOf(stdout).session_id;
}

describe('issue 3, accept 5: recorded over HTTP, played without a network', () => {
  test('a recording plays in another folder, and holds neither key nor folder', async () => {
    const file = join(place.project, 'run.yaml');
    await record(file);
    const recording = readFileSync(file, 'utf8');
    for (const gone of [secretKey, place.project, place.folder]) expect(recording).not.toContain(gone);
    expect(recording).toContain('${cwd}');

    using other = createPlace();
    writeFileSync(join(other.project, 'stock.txt'), '12 pens\n');
    writeFileSync(join(other.project, 'run.yaml'), recording);
    const played = await runCommand({
      place: other,
      args: ['-p', 'What is left?', '--model', 'scripted/run.yaml', ...allowed],
    });
    expect(played).toMatchObject({ stderr: '', exitCode: 0 });
    expect(resultOf(played.stdout)).toMatchObject({ result: '12 pens.', num_turns: 2 });
  });

  test('a changed prompt fails with the first request that differs, as a diff', async () => {
    const file = join(place.project, 'run.yaml');
    await record(file);
    const model = ['--model', `scripted/${file}`];
    const system = await rondo('-p', 'What is left?', ...model, '--append-system-prompt', 'Be quick.');
    expect(system).toMatchObject({ exitCode: 1, stdout: '' });
    expect(system.stderr).toContain('step 1 of');
    expect(system.stderr).toMatch(/^\+ {2}Be quick\.$/m);
    const prompt = await rondo('-p', 'What is gone?', ...model);
    expect(prompt.stderr).toMatch(/^- {2}- What is left\?\n\+ {2}- What is gone\?$/m);
    writeFileSync(join(place.project, 'stock.txt'), '11 pens\n');
    const result = await rondo('-p', 'What is left?', ...model, '--allowedTools', 'Bash');
    expect(result).toMatchObject({ exitCode: 1, stdout: '' });
    expect(result.stderr).toMatch(/^- +12 pens\n\+ +11 pens$/m);
  });

  test('a recorded session answers by its ID, and fails where the run takes another way', async () => {
    const session = await record(join(place.folder, 'run.yaml'));
    const again = await rondo('-p', 'What is left?', '--model', `replay/${session}?unused=error`, ...allowed);
    expect(again).toMatchObject({ stderr: '', exitCode: 0 });
    expect(resultOf(again.stdout)).toMatchObject({ result: '12 pens.', num_turns: 2 });
    const prompt = await rondo('-p', 'What is gone?', '--model', `replay/${session}`);
    expect(prompt).toMatchObject({ exitCode: 1, stdout: '' });
    expect(prompt.stderr).toMatch(/^- +- What is left\?\n\+ +- What is gone\?$/m);
  });
});

describe('issue 3: a script on the command line', () => {
  test('goes on where the conversation stands, in another process', async () => {
    const steps = [
      { text: 'One.' },
      { error: { status: 503 } },
      { call: 'Bash', input: { command: 'echo two' } },
      { expect: { results: ['two'] }, text: 'Two.' },
    ];
    const model = writeScript(place, steps, { unused: 'ignore' });
    const first = await rondo('-p', 'first', ...model, '--output-format', 'json');
    const { session_id: session } = resultOf(first.stdout);
    const second = await rondo('-p', 'second', '--resume', session, ...model, '--allowedTools', 'Bash');
    expect(second).toMatchObject({ stdout: 'Two.\n', exitCode: 0 });
  });

  test('that is not used to its end, or is asked for more, is a failure', async () => {
    const unused = await rondo('-p', 'go', ...writeScript(place, [{ text: 'One.' }, { text: 'Two.' }]));
    expect(unused).toMatchObject({ stdout: 'One.\n', exitCode: 1 });
    expect(unused.stderr).toMatch(/^rondo: 1 step of .*script\.json was not used, step 2 of /);
    const missing = await rondo('-p', 'go', ...writeScript(place, [{ call: 'Nothing' }]));
    expect(missing).toMatchObject({ stdout: '', exitCode: 1 });
    expect(missing.stderr).toContain(
      'has no step for this request: it has 1, and the conversation holds 1 answer already',
    );
  });

  test('that is none is told with file, line and key before anything runs', async () => {
    writeFileSync(join(place.project, 'a.yaml'), 'version: 1\nsteps:\n  - tekst: hi\n');
    const { stderr, exitCode } = await rondo('-p', 'go', '--model', 'scripted/a.yaml');
    expect(stderr).toContain('a.yaml:3: steps[0].tekst: there is no such key; did you mean text?');
    expect(exitCode).toBe(2);
  });
});
