import { StringDecoder } from 'node:string_decoder';
import { shellPrograms, type Program } from './start-process.ts';
import { superviseProcess, type OutputStream, type SupervisedExit } from './supervise-process.ts';

export interface RunProcessOptions {
  /** A shell line, or a program with its arguments. */
  readonly command: string | Program;
  /** The shell that a line is run with. `bash`, or `sh` where there is no bash, unless said. */
  readonly shell?: string;
  readonly cwd: string;
  /** The whole environment; nothing is inherited but the mark by which the process is found again. */
  readonly env: Readonly<Record<string, string>>;
  /** What it reads from its input, which is closed after it. Absent: closed from the start. */
  readonly input?: string;
  /** After this its whole tree is ended and it reads `timedOut`. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Most bytes kept of each stream: its beginning. The rest is read and dropped. */
  readonly outputLimit: number;
  /** From SIGTERM to SIGKILL. 500 unless said. */
  readonly graceMs?: number;
  /** Files that it gets open as well, from descriptor 3 on. */
  readonly descriptors?: readonly number[];
  /** Called with pieces of output as they come, those that are not kept too, with characters whole. */
  readonly onOutput?: (stream: OutputStream, piece: string) => void;
}

export interface ProcessOutcome extends SupervisedExit {
  /** Decoded as UTF-8. */
  readonly stdout: string;
  readonly stderr: string;
  /** Bytes that were not kept, of both streams. */
  readonly droppedBytes: Readonly<Record<OutputStream, number>>;
}

/**
 * Runs a program of the person's own, such as a hook: in a process group of its own, to its exit, with nothing of it left
 * afterwards, and swept at the next start when this process dies first. Not isolated.
 * @throws RondoError `sandbox.unavailable` when it could not be started.
 */
export async function runProcess(options: RunProcessOptions): Promise<ProcessOutcome> {
  const { command, shell, outputLimit, onOutput } = options;
  const streams = { stdout: keepHead(outputLimit), stderr: keepHead(outputLimit) };
  const decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') };
  const exit = await superviseProcess({
    ...options,
    programs: typeof command === 'string' ? shellPrograms(command, shell) : [command],
    take(stream, chunk) {
      streams[stream].write(chunk);
      if (onOutput === undefined) return true;
      const piece = decoders[stream].write(chunk);
      if (piece !== '') onOutput(stream, piece);
      return true;
    },
  });
  return {
    ...exit,
    stdout: streams.stdout.text(),
    stderr: streams.stderr.text(),
    droppedBytes: { stdout: streams.stdout.dropped, stderr: streams.stderr.dropped },
  };
}

function keepHead(limit: number) {
  const kept: Buffer[] = [];
  let bytes = 0;
  return {
    get dropped() {
      return Math.max(0, bytes - limit);
    },
    write(chunk: Buffer) {
      // A copy of the last piece, so that a few bytes do not keep the whole buffer that they were read into.
      if (bytes + chunk.length <= limit) kept.push(chunk);
      else if (bytes < limit) kept.push(Buffer.from(chunk.subarray(0, limit - bytes)));
      bytes += chunk.length;
    },
    text() {
      const decoder = new StringDecoder('utf8');
      // Where the end was cut off, half a character is cut off with it.
      const whole = decoder.write(Buffer.concat(kept));
      return bytes > limit ? whole : whole + decoder.end();
    },
  };
}
