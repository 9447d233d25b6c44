import { spawn } from 'node:child_process';

export interface RunOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** Milliseconds until the command is given up and killed. */
  timeout?: number;
}

export interface Outcome {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** Runs a command without input to its end. */
export function run(command: string, parameters: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, parameters, { timeout: 300_000, ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.on('error', reject);
    child.on('close', (code, signal) => {
      resolve({ exitCode: code ?? 1, stdout, stderr: signal ? `${stderr}\nended by ${signal}` : stderr });
    });
  });
}

/** Runs a command that has to succeed; what it printed comes out only with its failure. */
export async function runQuietly(
  command: string,
  parameters: readonly string[],
  options?: RunOptions,
): Promise<string> {
  const { exitCode, stdout, stderr } = await run(command, parameters, options);
  if (exitCode !== 0) {
    throw new Error(`${command} ${parameters.join(' ')}: exit ${exitCode}\n${stdout.trim()}\n${stderr.trim()}`.trim());
  }
  return stdout;
}
