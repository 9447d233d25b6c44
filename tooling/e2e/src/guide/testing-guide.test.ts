import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { readScript } from '@rondo/providers/scripted';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createPlace, type Place } from '../harness/place.ts';
import { guideBlocks } from './guide-blocks.ts';

const root = join(import.meta.dirname, '..', '..', '..', '..');
const blocks = guideBlocks(readFileSync(join(root, 'docs', 'guides', 'testing.md'), 'utf8'));

let place: Place;
beforeAll(() => {
  place = createPlace();
  symlinkSync(join(root, 'tooling', 'e2e', 'node_modules'), join(place.project, 'node_modules'));
  const command = join(place.folder, 'rondo');
  writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${inject('builtCommand')}" "$@"\n`);
  chmodSync(command, 0o755);
  for (const { file, text } of blocks) if (file !== undefined) writeFileSync(join(place.project, file), text);
});
afterAll(() => place[Symbol.dispose]());

async function run(command: string, args: readonly string[]): Promise<{ exitCode: number; said: string }> {
  const { PATH } = place.env();
  const child = spawn(command, args, {
    cwd: place.project,
    env: place.env({ PATH: [place.folder, PATH].join(delimiter), ANTHROPIC_API_KEY: undefined }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (piece: string) => (said += piece));
  const [exitCode] = (await once(child, 'close')) as [number];
  return { exitCode, said };
}

test('every block of the guide is a file, is run, or is plain text', () => {
  const idle = blocks.filter(({ language, file, run: runs }) => language !== 'text' && file === undefined && !runs);
  expect(idle).toEqual([]);
  expect(blocks.filter((block) => block.run).length).toBeGreaterThan(6);
});

test.each(blocks.filter(({ language }) => language === 'yaml').map((block) => [block.file ?? '', block] as const))(
  'the script %s can be played',
  async (file, { text }) => {
    expect((await readScript(text, { file })).steps.length).toBeGreaterThan(0);
  },
);

test.each(blocks.filter((block) => block.run && block.language === 'ts').map((block) => [block.line, block] as const))(
  'the program in line %i runs',
  async (line, { text }) => {
    const file = join(place.project, `program-${line}.ts`);
    writeFileSync(file, text);
    expect(await run(process.execPath, ['--conditions=@rondo/source', file])).toEqual({ exitCode: 0, said: '' });
  },
);

test.each(blocks.filter((block) => block.run && block.language === 'sh').map((block) => [block.line, block] as const))(
  'the commands in line %i run',
  async (_line, { text }) => {
    const outcome = await run('sh', ['-e', '-c', text]);
    expect(outcome, outcome.said).toMatchObject({ exitCode: 0 });
  },
);
