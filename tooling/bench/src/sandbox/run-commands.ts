// Runs a command that does nothing, in the sandbox and without, in turn: `run-commands.ts FOLDER RUNS`. Prints what each took
// as JSON, from the call until its outcome is there; nothing where this machine has no sandbox.
import { createIsolatedSandbox, createLocalSandbox } from '@rondo/sandbox';
import type { SandboxCost } from './sandbox-cost.ts';

const [folder = '', count] = process.argv.slice(2);
const local = createLocalSandbox();
const isolated = await createIsolatedSandbox({ settings: {}, folders: [folder] }).catch(() => undefined);
const warmUps = 5;

async function time(sandbox: typeof local): Promise<number> {
  const started = performance.now();
  const { exitCode } = await sandbox.exec('true', {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '' },
    signal: new AbortController().signal,
    timeoutMs: 60_000,
    outputLimit: 1000,
  });
  if (exitCode !== 0) throw new Error(`the command ended with ${exitCode}`);
  return performance.now() - started;
}

const costs: SandboxCost[] = [];
if (isolated !== undefined) {
  for (let round = -warmUps; round < Number(count); round += 1) {
    const cost = { local: await time(local), isolated: await time(isolated) };
    if (round >= 0) costs.push(cost);
  }
}
process.stdout.write(JSON.stringify(costs));
