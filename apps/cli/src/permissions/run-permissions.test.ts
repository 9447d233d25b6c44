import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PermissionExplanation, PermissionList } from '@rondo/sdk';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createWorkplace, runRondo, type Workplace } from '../testing/spawn-rondo.ts';

// Each test starts processes of its own; a busy machine takes its time with them.
vi.setConfig({ testTimeout: 60_000 });

let place: Workplace;
let settings: string;
beforeEach(() => {
  place = createWorkplace();
  mkdirSync(place.home, { recursive: true });
  settings = join(place.home, 'settings.json');
  write({ permissions: { allow: ['Bash(npm test:*)', 'Bash(node:*)'], deny: ['Bash(rm:*)', 'Read(./.env)'] } });
});
afterEach(() => place[Symbol.dispose]());

const write = (content: unknown): void => writeFileSync(settings, JSON.stringify(content));
const rondo = (...argv: readonly string[]) =>
  runRondo(['permissions', ...argv], { cwd: place.project, env: place.env({}) });
const explained = async (...argv: readonly string[]): Promise<PermissionExplanation> => {
  const { stdout, stderr } = await rondo('explain', ...argv, '--json');
  expect(stderr).toBe('');
  return JSON.parse(stdout) as PermissionExplanation;
};

test('explain tells the rule that decides, its file, and what covers each command', async () => {
  const { stdout, exitCode } = await rondo('explain', 'Bash', 'npm test && sudo rm -rf build');
  expect(exitCode).toBe(0);
  expect(stdout).toContain(`Denied at step 2: denied by ${settings}: Bash(rm:*)`);
  expect(stdout).toContain(`from       ${settings}`);
  expect(stdout).toMatch(/✓ npm test: .*npm test/);
  expect(stdout).toMatch(/✗ sudo rm -rf build/);
  expect(stdout).toMatch(/2\. Deny rules.*◄/);
});

test('INPUT may be JSON, and the mode and rules of a session are flags', async () => {
  const edit = JSON.stringify({ file_path: join(place.project, 'a.ts') });
  expect((await explained('Edit', edit)).explanation.decision.decision).toBe('ask');
  const accepted = await explained('Edit', edit, '--permission-mode', 'acceptEdits');
  expect(accepted.explanation.decision).toMatchObject({ decision: 'allow', step: 'mode' });
  const allowed = await explained('Bash', 'make', '--allowedTools', 'Bash(make)');
  expect(allowed.explanation.decision).toMatchObject({ decision: 'allow', rule: 'Bash(make)', source: 'allowedTools' });
  const skipped = await explained('Bash', 'rm x', '--permission-mode', 'bypassPermissions');
  expect(skipped.explanation.decision).toMatchObject({ decision: 'deny', rule: 'Bash(rm:*)' });
});

test('in the mode auto, explain tells what the classifier would be shown', async () => {
  const { stdout } = await rondo('explain', 'Bash', 'touch a', '--permission-mode', 'auto');
  expect(stdout).toContain('Left to the classifier at step 6: touch a:');
  expect(stdout).toMatch(/judged by +the session's own model;/);
  expect(stdout).toContain('> {"command":"touch a"}');
  write({ permissions: { classifierModel: 'haiku', deny: ['Bash(rm:*)'] } });
  const { classifier } = await explained('Bash', 'touch a', '--permission-mode', 'auto', '--allowedTools', 'Read');
  expect(classifier).toMatchObject({ model: 'haiku' });
  // A deny rule, a command that reads only, and another mode leave nothing to it.
  expect((await explained('Bash', 'rm x', '--permission-mode', 'auto')).classifier).toBeUndefined();
  expect((await explained('Bash', 'ls', '--permission-mode', 'auto')).classifier).toBeUndefined();
  expect((await explained('Bash', 'touch a')).classifier).toBeUndefined();
});

test('list shows the mode, every rule with its file, and which of them let any code run', async () => {
  const { stdout } = await rondo('list');
  expect(stdout).toContain('Mode default');
  expect(stdout).toMatch(/deny {2}Bash\(rm:\*\)/);
  expect(stdout).toMatch(/allow Bash\(node:\*\) {2}\(.*a grant of arbitrary code\)/);
  const list = JSON.parse((await rondo('list', '--json')).stdout) as PermissionList;
  expect(list.rules).toContainEqual({ behavior: 'deny', rule: 'Read(./.env)', source: settings });
});

test('test judges the cases of a file, and fails when one is decided otherwise', async () => {
  const file = join(place.project, 'cases.json');
  const cases = [
    { id: 'tests', call: { tool: 'Bash', input: { command: 'npm test -- --watch' } }, expected: 'allow' },
    { id: 'secrets', call: { tool: 'Bash', input: { command: 'cat .env' } }, expected: 'deny' },
    { id: 'plan', policy: { mode: 'plan' }, call: { tool: 'Bash', input: { command: 'npm test' } }, expected: 'deny' },
    { id: 'wish', call: { tool: 'Bash', input: { command: 'make' } }, expected: 'allow' },
  ];
  writeFileSync(file, JSON.stringify({ cases }));
  const { stdout, exitCode } = await rondo('test', file);
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/^✗ wish: Bash .* is to be allow, and is ask: .*\n3 passed, 1 failed\n$/);
  writeFileSync(file, JSON.stringify(cases.slice(0, 3)));
  expect(await rondo('test', file)).toMatchObject({ exitCode: 0, stdout: '3 passed, 0 failed\n' });
  writeFileSync(file, JSON.stringify([{ call: { tool: 'Bash' } }]));
  expect(await rondo('test', file)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('case 1 has no call') as string,
  });
});

test('a broken settings file is an error with its place, and wrong usage one with the way on', async () => {
  writeFileSync(settings, '{"permissions": {"deny": ["Bash"]');
  const { exitCode, stderr } = await rondo('list');
  expect(exitCode).not.toBe(0);
  expect(stderr).toContain(`${settings}:1:`);
  write({});
  expect((await rondo()).stderr).toContain('explain TOOL INPUT, list, or test FILE');
  expect((await rondo('explain', 'Read', '{')).stderr).toContain('INPUT begins as JSON and is none');
  expect(await rondo('explain', 'Grep', '{"pattern": 3}')).toMatchObject({
    exitCode: expect.not.stringMatching(/^0$/) as number,
  });
});

test('list says of each rule what is to be said, advice too; a session only what is wrong', async () => {
  write({ permissions: { allow: ['Bash(python:*)', 'bash(ls)'] } });
  const { stdout } = await rondo('list', '--json');
  const { notices } = JSON.parse(stdout) as PermissionList;
  expect(notices.join('\n')).toContain('Bash(python:*)');
  expect(notices.join('\n')).toContain('bash(ls)');
  const settled = await runRondo(['settings'], { cwd: place.project, env: place.env({}) });
  for (const word of ['Bash(python:*)', 'bash(ls)'])
    expect(settled.stdout.replaceAll(/\s+/g, ' ')).toContain(`has "${word}"`);
});
