import { StringDecoder } from 'node:string_decoder';
import type { CommandOptions, Execution } from '@rondo/runtime';
import type { OutputStream } from '../supervisor/supervise-process.ts';
import { openOutputFile, type OutputFile } from './output-file.ts';
import { createOutputWindow, type OutputWindow } from './output-window.ts';

export type CollectedOutput = Pick<
  Execution,
  'stdout' | 'stderr' | 'outputBytes' | 'outputTruncated' | 'outputPath' | 'omittedFromLine'
>;

/** Takes a command's output as it comes, in memory of a fixed size. */
export interface OutputCollector {
  /** False when the disk cannot follow: stop reading until `onDrain`. */
  write(stream: OutputStream, chunk: Buffer): boolean;
  finish(): Promise<CollectedOutput>;
}

export interface OutputCollectorOptions extends Pick<CommandOptions, 'outputLimit' | 'outputPath' | 'onOutput'> {
  /** Most bytes in the output file. */
  readonly fileLimit: number;
  readonly onDrain: () => void;
}

export function createOutputCollector(options: OutputCollectorOptions): OutputCollector {
  const { outputLimit, outputPath, onOutput, fileLimit, onDrain } = options;
  const windows = { stdout: createOutputWindow(outputLimit), stderr: createOutputWindow(outputLimit) };
  const decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') };
  // Both streams in the order they came, until it is certain that a file is worth opening.
  let held: Buffer[] = [];
  let heldBytes = 0;
  let file: OutputFile | undefined;
  // How the lines of both streams followed each other, as far as it can matter for `omittedFromLine`.
  const runs: { stream: OutputStream; lines: number }[] = [];

  const openFile = (path: string): OutputFile => {
    const opened = openOutputFile({ path, limit: fileLimit, onDrain });
    for (const chunk of held) opened.write(chunk);
    held = [];
    return opened;
  };

  return {
    write(stream, chunk) {
      if (windows.stdout.headOpen && windows.stderr.headOpen) recordLines(runs, stream, chunk);
      windows[stream].write(chunk);
      if (onOutput !== undefined) {
        const piece = decoders[stream].write(chunk);
        if (piece !== '') onOutput(piece);
      }
      if (outputPath === undefined) return true;
      if (file !== undefined) return file.write(chunk);
      held.push(chunk);
      heldBytes += chunk.length;
      if (heldBytes > outputLimit * 2) file = openFile(outputPath);
      return true;
    },
    async finish() {
      const { stdout, stderr } = finishWithin(windows, outputLimit);
      const gaps = { stdout: stdout.linesBeforeGap, stderr: stderr.linesBeforeGap };
      const outputTruncated = gaps.stdout !== undefined || gaps.stderr !== undefined;
      let written = false;
      if (outputTruncated && outputPath !== undefined) written = await (file ?? openFile(outputPath)).close();
      else if (file !== undefined) {
        await file.close();
        await file.remove();
      }
      return {
        stdout: stdout.text,
        stderr: stderr.text,
        outputBytes: windows.stdout.bytes + windows.stderr.bytes,
        outputTruncated,
        ...(written && outputPath !== undefined ? { outputPath, omittedFromLine: firstOmittedLine(runs, gaps) } : {}),
      };
    },
  };
}

/** Shortens the streams to a limit for both: stdout gives way last, but leaves a third to stderr. */
function finishWithin({ stdout, stderr }: Readonly<Record<OutputStream, OutputWindow>>, limit: number) {
  const out = stdout.finish(limit);
  const error = stderr.finish(limit);
  if (out.text.length + error.text.length <= limit || stdout.bytes === 0 || stderr.bytes === 0)
    return { stdout: out, stderr: error };
  const forError = Math.min(error.text.length, Math.max(Math.floor(limit / 3), limit - out.text.length));
  return { stdout: stdout.finish(limit - forError), stderr: stderr.finish(forError) };
}

function recordLines(runs: { stream: OutputStream; lines: number }[], stream: OutputStream, chunk: Buffer): void {
  let lines = 0;
  for (const byte of chunk) if (byte === 0x0a) lines += 1;
  const last = runs.at(-1);
  if (last?.stream === stream) last.lines += lines;
  else runs.push({ stream, lines });
}

/**
 * The line of the file, counted from 1, before which both streams were kept whole. With one stream alone it is exactly
 * where its gap begins; where they are mixed it may be a little earlier, never later.
 */
function firstOmittedLine(
  runs: readonly { readonly stream: OutputStream; readonly lines: number }[],
  gaps: Readonly<Record<OutputStream, number | undefined>>,
): number {
  const seen = { stdout: 0, stderr: 0 };
  for (const { stream, lines } of runs) {
    const gap = gaps[stream];
    const before = seen.stdout + seen.stderr;
    if (gap !== undefined && seen[stream] + lines >= gap) return before + gap - seen[stream] + 1;
    seen[stream] += lines;
  }
  return seen.stdout + seen.stderr + 1;
}
