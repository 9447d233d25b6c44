import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadAgents } from './load-agents.ts';

const agentModule = pathToFileURL(join(import.meta.dirname, '..', 'agent.ts')).href;
let folder = '';
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'rondo-agents-')), 'agents');
  await mkdir(folder);
});
afterEach(() => rm(join(folder, '..'), { recursive: true, force: true }));

const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);
const load = () => loadAgents(folder, { home: folder, env: { ANTHROPIC_API_KEY: 'sk-test' } });
const model = `{ name: 'own/model', stream() { throw new Error('no model') } }`;

test('every module gives its agent, made or only described', async () => {
  await write(
    'clerk.ts',
    `import { Agent } from '${agentModule}'; export default new Agent({ name: 'clerk', model: ${model} });`,
  );
  await write(
    'poet.mjs',
    `export default { name: 'poet', model: 'anthropic/claude-sonnet-4-5', instructions: 'Rhyme.' };`,
  );
  await write('poet.test.mjs', 'throw new Error("a test is no agent")');
  await write('notes.txt', 'nothing');
  const agents = await load();
  expect(agents.map(({ name, file }) => [name, file])).toEqual([
    ['clerk', join(folder, 'clerk.ts')],
    ['poet', join(folder, 'poet.mjs')],
  ]);
  expect(agents[1]?.binding).toMatchObject({ agent: { name: 'poet' }, system: 'Rhyme.', unattended: 'wait' });
});

test('what is wrong is said of every file at once', async () => {
  await write('a.mjs', 'export const agent = 1;');
  await write('b.mjs', 'export default 7;');
  await write('c.mjs', `export default { model: ${model}, maxIterations: 0 };`);
  await write('d.mjs', 'export default {');
  await write('e.mjs', `export default { name: 'same', model: ${model} };`);
  await write('f.mjs', `export default { name: 'same', model: ${model} };`);
  await write('g.mjs', `export default { name: 'keyless', model: 'openai/gpt-5' };`);
  const error: unknown = await load().catch((problem: unknown) => problem);
  expect(error).toMatchObject({ code: 'input.invalid' });
  const lines = String(error instanceof Error ? error.message : '').split('\n');
  const about = (name: string): string => lines.find((line) => line.startsWith(join(folder, name))) ?? '';
  expect(about('a.mjs')).toContain('no default export');
  expect(about('b.mjs')).toContain('neither an Agent');
  expect(about('c.mjs')).toContain('maxIterations is 0');
  expect(about('d.mjs')).not.toBe('');
  expect(about('f.mjs')).toContain(`another agent "same", in ${join(folder, 'e.mjs')}`);
  expect(about('g.mjs')).toContain('OPENAI_API_KEY');
});

test('a folder without an agent, or that others can write, runs nothing', async () => {
  await expect(load()).rejects.toThrow(/no module of an agent/);
  await expect(loadAgents(join(folder, 'none'), { home: folder })).rejects.toThrow(/cannot be read/);
  await write('a.mjs', `globalThis.wasRun = true; export default { model: ${model} };`);
  await chmod(join(folder, 'a.mjs'), 0o666);
  await expect(load()).rejects.toThrow(/written by everybody; chmod o-w/);
  await chmod(join(folder, 'a.mjs'), 0o644);
  await chmod(folder, 0o777);
  await expect(load()).rejects.toThrow(/written by everybody/);
  expect('wasRun' in globalThis).toBe(false);
});
