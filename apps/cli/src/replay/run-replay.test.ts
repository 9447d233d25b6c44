import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createWorkplace, runRondo, type Workplace } from '../testing/spawn-rondo.ts';

// Each test starts processes of its own; a busy machine takes its time with them.
vi.setConfig({ testTimeout: 60_000 });

let place: Workplace;
beforeEach(() => {
  place = createWorkplace();
});
afterEach(() => place[Symbol.dispose]());

const id = 'aaaaaaaa-93a7-4c5e-8d7e-2f1c6a9b0d11';

async function rondo(...argv: readonly string[]) {
  return await runRondo(argv, { cwd: place.project, env: place.env({}) });
}

async function record(): Promise<void> {
  writeFileSync(join(place.project, 'note.txt'), 'as it was');
  const script = `version: 1
steps:
  - call: Read
    input: { file_path: ${join(place.project, 'note.txt')} }
  - call: Write
    input: { file_path: ${join(place.project, 'new.txt')}, content: made }
  - text: Done.
`;
  writeFileSync(join(place.project, 'story.yaml'), script);
  const asked = ['-p', 'go', '--session-id', id, '--model', 'scripted/story.yaml', '--allowedTools', 'Write'];
  expect(await rondo(...asked)).toMatchObject({ exitCode: 0 });
}

test('a session replays by the beginning of its ID or by its log, for people and for programs', async () => {
  await record();
  const replayed = await rondo('replay', 'AAAA');
  expect(replayed).toMatchObject({ exitCode: 0, stderr: '' });
  expect(replayed.stdout).toContain(`${id}  goes as it went: 1 turn, 3 requests to the model`);
  const log = join(place.home, 'sessions', id, 'log.jsonl');
  const report = JSON.parse((await rondo('replay', log, '--json')).stdout) as object;
  expect(report).toMatchObject({ sessionId: id, mode: 'strict', turns: 1, requests: 3, decisions: 2, changes: [] });
});

test('what today’s policy judges otherwise is shown with its rule, and what tools give now', async () => {
  await record();
  expect(await rondo('replay', id, '--behavioural', '--allowedTools', 'Write')).toMatchObject({ exitCode: 0 });
  const judged = await rondo('replay', id, '--behavioural', '--disallowedTools', 'Write');
  expect(judged.exitCode).toBe(1);
  expect(judged.stdout).toMatch(/- recorded: allow \(rule Write of allowedTools\)\n.*\+ today: {4}deny/);

  expect((await rondo('replay', id, '--live-tools')).stdout).toContain('1 call without an effect really ran');
  const before = readdirSync(place.project);
  writeFileSync(join(place.project, 'note.txt'), 'as it is');
  const live = await rondo('replay', id, '--live-tools');
  expect(live).toMatchObject({ exitCode: 1 });
  expect(live.stdout).toMatch(
    /goes another way at event \d+, tool\.completed\n {2}content\[0\]\.text\n.*as it was.*\n.*as it is/,
  );
  expect(readdirSync(place.project)).toEqual(before);
});

const source = (path: string): string => pathToFileURL(join(import.meta.dirname, '../../../../packages', path)).href;

/** A folder with the module of the session's agent, whose hook this is. */
function agentsFolder(name: string, hook: string): string {
  const folder = join(place.project, name);
  mkdirSync(folder);
  const module = `import { Agent, skip } from '${source('sdk/src/agent.ts')}';
import { defineTool } from '${source('sdk/src/agent.ts')}';
const charge = defineTool({ name: 'charge', description: 'x', input: { type: 'object' }, run: () => 'charged' });
const hooks = [{ name: 'cashier', preToolCall(context, { arguments: { cents } }) { ${hook} } }];
export default new Agent({ name: 'clerk', model: 'scripted/story.yaml', tools: [charge], hooks });
`;
  writeFileSync(join(folder, 'clerk.mjs'), module);
  return folder;
}

/** Has the agent of the folder charge two sums, and gives the session. */
async function recordWith(folder: string): Promise<string> {
  const script = `version: 1
steps:
  - call: charge
    input: { cents: 5 }
  - call: charge
    input: { cents: 500 }
  - text: Done.
`;
  writeFileSync(join(place.project, 'story.yaml'), script);
  const program = `import clerk from '${pathToFileURL(join(folder, 'clerk.mjs')).href}';
const { sessionId } = await clerk.run('charge both');
await clerk.close();
console.log(sessionId);`;
  const argv = ['--conditions=@rondo/source', '--input-type=module', '-e', program];
  const { stdout } = await promisify(execFile)(process.execPath, argv, { cwd: place.project, env: place.env({}) });
  return stdout.trim();
}

test('what today’s hooks decide otherwise is shown, and what follows for their calls', async () => {
  const then = agentsFolder('then', 'if (cents > 100) return skip("too much");');
  const sessionId = await recordWith(then);
  const same = await rondo('replay', sessionId, '--behavioural', '--agents', then);
  expect([same.exitCode, same.stderr]).toEqual([0, '']);
  expect(same.stdout).toContain("2 calls judged by today's policy: all as they were");
  expect(same.stdout).toContain("2 runs of today's hooks: all as they were");
  const today = agentsFolder('today', 'if (cents < 100) return skip("too\\u001b[2J little");');
  const judged = await rondo('replay', sessionId, '--behavioural', '--agents', today);
  expect(judged.exitCode).toBe(1);
  expect(judged.stdout).toMatch(
    /hook cashier at preToolCall, charge \(.+\)\n {2}- recorded: skip \(too much\)\n {2}\+ today: {4}continue/,
  );
  expect(judged.stdout).toMatch(/- recorded: deny \(hook cashier: too much\)\n {2}\+ today: {4}allow/);
  expect(judged.stdout).toMatch(/- recorded: continue\n {2}\+ today: {4}skip \(too.*little\)/);
  expect(judged.stdout).not.toContain('\u001b');
  const report = JSON.parse(
    (await rondo('replay', sessionId, '--behavioural', '--agents', today, '--json')).stdout,
  ) as object;
  expect(report).toMatchObject({
    hookRuns: 2,
    hookChanges: [
      {
        point: 'preToolCall',
        hook: 'cashier',
        tool: 'charge',
        recorded: { type: 'continue' },
        today: { type: 'skip' },
      },
      { recorded: { type: 'skip', reason: 'too much' }, today: { type: 'continue' }, reason: 'differs' },
    ],
  });
  // No flag brings hooks: those of then are gone.
  expect((await rondo('replay', sessionId, '--behavioural')).stdout).toMatch(
    /recorded: skip \(too much\)\n.*today: {4}gone/,
  );
});

test('what cannot be asked is said, with exit code 2', async () => {
  for (const [argv, said] of [
    [['replay'], 'Which session?'],
    [['replay', id, 'more'], 'takes no "more"'],
    [['replay', id, '--agents', 'a', '--behavioural', '--tools', 'Read'], '--agents and --tools do not go together'],
    [['replay', id, '--permission-mode', 'plan'], '--permission-mode is for --behavioural or --live-tools'],
    [['replay', id, '--bahavioural'], 'Did you mean --behavioural?'],
  ] as const) {
    const { exitCode, stderr } = await rondo(...argv);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(said)]);
  }
  expect(await rondo('replay', 'ffff')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('no session') as string,
  });
});
