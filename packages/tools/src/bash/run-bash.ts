import { stat } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { ToolError, type Execution, type ToolContext, type ToolResult } from '@rondo/runtime';
import type { BashInput } from './bash-input.ts';

/** What programs get of a command. */
export interface BashOutput {
  readonly stdout: string;
  readonly stderr: string;
  readonly interrupted: boolean;
  readonly isImage: boolean;
  readonly dangerouslyDisableSandbox?: boolean;
  /** The file with the whole output, when the streams above were shortened. */
  readonly persistedOutputPath?: string;
  /** Bytes. */
  readonly persistedOutputSize?: number;
}

const defaultTimeoutMs = 120_000;
const longestTimeoutMs = 600_000;
/** Characters that the model gets. */
const outputLimit = 30_000;

/** Runs one Bash. */
export async function runBash(input: BashInput, context: ToolContext): Promise<ToolResult> {
  requireSupported(input, context);
  const timeoutMs = Math.min(input.timeout ?? defaultTimeoutMs, longestTimeoutMs);
  const execution = await context.sandbox.exec(input.command, {
    cwd: context.cwd,
    env: context.env,
    signal: context.signal,
    timeoutMs,
    outputLimit,
    outputPath: join(context.outputDirectory, 'tool-results', `${context.callId.replace(/[^\w-]/g, '_')}.txt`),
    onOutput: progressReporter(context),
    folders: [context.cwd, ...context.additionalDirectories],
    outside: !context.sandboxed,
  });
  const failed = execution.exitCode !== 0 || execution.timedOut || execution.aborted;
  const lines = [
    ...(failed ? [`Exit code ${exitCodeOf(execution)}`] : []),
    ...[execution.stdout, execution.stderr]
      .map((output) => output.replace(/\n+$/, ''))
      .filter((output) => output !== ''),
    ...notesOn(execution, timeoutMs),
  ];
  return {
    content: lines.length === 0 ? '[The command ended without output.]' : lines.join('\n'),
    structured: { ...(await outputOf(execution, input)) },
    ...(failed ? { isError: true } : {}),
    ...(execution.refusals === undefined ? {} : { notices: execution.refusals.slice(0, 1) }),
  };
}

function requireSupported(input: BashInput, { sandbox, sandboxed }: ToolContext): void {
  if (input.run_in_background === true) {
    throw new ToolError(
      'run_in_background is not available yet. Run the command in the foreground, with a timeout of up to 600000 ms where it takes long.',
    );
  }
  const isKept = sandbox.describe().enforced.length > 0 && (sandboxed || sandbox.canRunOutside !== true);
  if (input.dangerouslyDisableSandbox === true && isKept) {
    throw new ToolError(
      'dangerouslyDisableSandbox is not allowed here: commands of this session run in its sandbox only.',
    );
  }
}

function notesOn(execution: Execution, timeoutMs: number): string[] {
  const { outputTruncated, outputPath, omittedFromLine, outputBytes, timedOut, aborted, endedProcesses } = execution;
  const notes: string[] = [];
  if (outputTruncated && outputPath !== undefined) {
    const from = omittedFromLine ?? 1;
    notes.push(
      `[Shortened: all ${outputBytes} bytes of output are in ${outputPath}. What is left out begins there in line ${from}: Read it with offset: ${from}.]`,
    );
  } else if (outputTruncated) {
    notes.push(`[Shortened: of ${outputBytes} bytes of output the rest could not be kept on the disk.]`);
  }
  if (timedOut)
    notes.push(`[The command timed out after ${timeoutMs / 1000} s and was ended with everything it started.]`);
  else if (aborted) notes.push('[The command was interrupted and ended with everything it started.]');
  else if (endedProcesses > 0) notes.push(`[${endedProcesses} processes that it left in the background were ended.]`);
  if (execution.refusals !== undefined) notes.push(`[${execution.refusals.join(' ')}]`);
  return notes;
}

/** As a shell says it: 128 and the number of the signal. */
function exitCodeOf({ exitCode, signal }: Execution): number {
  if (exitCode !== null) return exitCode;
  const number = Object.entries(constants.signals).find(([name]) => name === signal)?.[1];
  return 128 + (number ?? constants.signals.SIGTERM);
}

async function outputOf(execution: Execution, input: BashInput): Promise<BashOutput> {
  const { stdout, stderr, aborted, outputPath } = execution;
  const file = outputPath === undefined ? undefined : await stat(outputPath).catch(() => undefined);
  return {
    stdout,
    stderr,
    interrupted: aborted,
    isImage: false,
    ...(input.dangerouslyDisableSandbox === undefined
      ? {}
      : { dangerouslyDisableSandbox: input.dangerouslyDisableSandbox }),
    ...(outputPath === undefined ? {} : { persistedOutputPath: outputPath }),
    ...(file === undefined ? {} : { persistedOutputSize: file.size }),
  };
}

const progressEveryMs = 200;
const progressCharacters = 2000;

/** Shows the newest output, not all of it and not too often. */
function progressReporter(context: ToolContext): (piece: string) => void {
  let recent = '';
  let reported = -Infinity;
  return (piece) => {
    recent = (recent + piece).slice(-progressCharacters);
    const now = performance.now();
    if (now - reported < progressEveryMs) return;
    reported = now;
    context.progress({ output: recent });
  };
}
