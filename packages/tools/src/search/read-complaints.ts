import type { Readable } from 'node:stream';

/** What ripgrep says on its standard error. */
export interface Complaints {
  /** Why it did not search at all: a pattern or an option that it does not take. */
  readonly refusal?: string;
  /** What went wrong with single files and folders, as far as it is kept: the path, a colon, and why. */
  readonly failures: readonly string[];
  readonly failureCount: number;
}

const mostKept = 100;
const longestKept = 4096;

/** Reads standard error in bounded memory. What it gives tells what has been read by then. */
export function readComplaints(stream: Readable): () => Complaints {
  const failures: string[] = [];
  let failureCount = 0;
  let refusal: string | undefined;
  /** The message that is being read: it may have several lines, the first begins with the program's name. */
  let message: string | undefined;
  let rest = '';

  const endMessage = (): void => {
    if (message === undefined) return;
    if (/^\.?\//.test(message)) {
      failureCount += 1;
      if (failures.length < mostKept) failures.push(message);
    } else refusal ??= message;
    message = undefined;
  };
  const takeLine = (line: string): void => {
    if (line.startsWith('rg: ')) {
      endMessage();
      message = line.slice('rg: '.length, longestKept);
    } else if (message !== undefined && message.length < longestKept) message += `\n${line}`;
  };
  stream.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = (lines.pop() ?? '').slice(0, longestKept);
    for (const line of lines) takeLine(line);
  });
  stream.on('error', () => undefined);

  return () => {
    if (rest !== '') takeLine(rest);
    rest = '';
    endMessage();
    const said = refusal === undefined ? undefined : Buffer.from(refusal, 'latin1').toString().trim();
    return { ...(said === undefined ? {} : { refusal: said }), failures, failureCount };
  };
}
