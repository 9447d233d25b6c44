import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Consumer } from './consumer.ts';
import type { NodeVersion } from './node-versions.ts';
import { runQuietly } from '../run-quietly.ts';

/** What puts a program into a copy of Node, and what makes one file of it. From the registry, exactly these. */
export const executableTools: readonly string[] = ['postject@1.0.0-alpha.6', 'esbuild@0.28.2'];

/** A program on `query()` that calls a tool: it shows that the engine, the adapters and the tools are all in the file. */
const program = `import { query } from '@rondo/sdk';
async function main() {
  const options = { model: 'scripted/' + process.argv[2], allowedTools: ['Bash'] };
  for await (const message of query({ prompt: 'What time is it?', options })) {
    if (message.type === 'result') console.log(message.subtype === 'success' ? message.result : message.errors.join());
  }
}
void main();
`;

const script = `version: 1
unused: error
steps:
  - call: Bash
    input: { command: echo noon }
  - expect: { results: [noon] }
    text: It is noon.
`;

/** Bundles the program and puts it into a copy of Node by Node's own means. Gives what the executable printed. */
export async function runSingleExecutable({ folder, run }: Consumer, node: NodeVersion): Promise<string> {
  const executable = join(folder, 'program');
  writeFileSync(join(folder, 'single.mjs'), program);
  writeFileSync(join(folder, 'single.yaml'), script);
  writeFileSync(
    join(folder, 'single.json'),
    JSON.stringify({ main: 'single.cjs', output: 'single.blob', disableExperimentalSEAWarning: true }),
  );
  await npx('esbuild', 'single.mjs', '--bundle', '--platform=node', '--format=cjs', '--outfile=single.cjs');
  await own('node', '--experimental-sea-config', 'single.json');
  copyFileSync(join(node.folder, 'node'), executable);
  const isMac = process.platform === 'darwin';
  if (isMac) await runQuietly('codesign', ['--remove-signature', executable], { cwd: folder });
  const fuse = ['--sentinel-fuse', 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'];
  const segment = isMac ? ['--macho-segment-name', 'NODE_SEA'] : [];
  await npx('postject', executable, 'NODE_SEA_BLOB', 'single.blob', ...fuse, ...segment);
  if (isMac) await runQuietly('codesign', ['--sign', '-', executable], { cwd: folder });
  const told = await run(node.folder, executable, [join(folder, 'single.yaml')]);
  if (told.exitCode !== 0) throw new Error(`the executable: exit ${told.exitCode}\n${told.stdout}\n${told.stderr}`);
  return told.stdout.trim();

  function npx(tool: string, ...parameters: readonly string[]): Promise<void> {
    return own('npx', '--no-install', tool, ...parameters);
  }

  async function own(command: string, ...parameters: readonly string[]): Promise<void> {
    const outcome = await run(node.folder, command, parameters);
    if (outcome.exitCode !== 0) throw new Error(`${command} ${parameters.join(' ')}\n${outcome.stderr}`);
  }
}
