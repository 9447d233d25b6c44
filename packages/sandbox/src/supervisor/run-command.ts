import type { CommandOptions, Execution } from '@rondo/runtime';
import type { LocalSandboxOptions } from '../local-sandbox-options.ts';
import { createOutputCollector } from '../output/output-collector.ts';
import { shellPrograms, type Program } from './start-process.ts';
import { superviseProcess, type SuperviseOptions } from './supervise-process.ts';

const defaultFileLimit = 4 * 1024 ** 3;

/** Runs one shell line as the sandbox promises. @throws RondoError `sandbox.unavailable` when no shell could be started. */
export function runCommand(
  command: string,
  options: CommandOptions,
  settings: LocalSandboxOptions,
): Promise<Execution> {
  return runForOutput(shellPrograms(command, settings.shell), options, settings);
}

/** Runs a program and keeps of its output what a tool shows. */
export async function runForOutput(
  programs: readonly [Program, ...Program[]],
  options: CommandOptions,
  settings: LocalSandboxOptions,
  supervision: Pick<SuperviseOptions, 'descriptors' | 'isWrapper'> = {},
): Promise<Execution> {
  let resumeReading = (): void => undefined;
  const output = createOutputCollector({
    ...options,
    fileLimit: settings.outputFileLimit ?? defaultFileLimit,
    onDrain: () => resumeReading(),
  });
  const exit = await superviseProcess({
    ...supervision,
    programs,
    cwd: options.cwd,
    env: options.env,
    timeoutMs: options.timeoutMs,
    signal: options.signal,
    graceMs: settings.graceMs,
    take(stream, chunk, resume) {
      resumeReading = resume;
      return output.write(stream, chunk);
    },
  });
  return { ...exit, ...(await output.finish()) };
}
