import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SandboxCost } from '../sandbox/sandbox-cost.ts';
import type { Supervisor } from './run-supervised.ts';

export interface SandboxOptions {
  readonly supervisor: Supervisor;
  readonly folder: string;
  readonly runs: number;
}

const program = fileURLToPath(new URL('../sandbox/run-commands.ts', import.meta.url));

/** Runs commands with and without the sandbox, in turn; nothing where the machine has none. */
export async function measureSandbox({ supervisor, folder, runs }: SandboxOptions): Promise<SandboxCost[]> {
  const work = path.join(folder, 'sandboxed');
  await mkdir(work);
  const { stdout } = await supervisor.run([process.execPath, program, work, String(runs)]);
  return JSON.parse(stdout) as SandboxCost[];
}
