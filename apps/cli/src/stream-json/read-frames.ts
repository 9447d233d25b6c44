import { createLineReader, isDeeperThan } from '@rondo/protocol/values';

/** What stands on a line: an object, whose fields nobody has looked at. */
export type Frame = Readonly<Record<string, unknown>>;

/** A message with pictures is some tens of megabytes; what is longer is no message, and is not kept in memory. */
const longestLine = 128 * 1024 * 1024;
/** As of requests to a host: what is deeper, nothing that goes through it comes to the end of. */
const mostLevels = 512;
const lineFeed = Uint8Array.of(0x0a);

export interface ReadFramesOptions {
  readonly longest?: number;
}

/**
 * The frames that come over a stream, a line each. Only LF ends a line; what is after the last one counts too. Empty lines are
 * nothing.
 * @throws Error for a line that is no JSON object in UTF-8, too long or too deep: whoever writes it speaks something else, and what it
 * meant cannot be guessed.
 */
export async function* readFrames(
  stream: AsyncIterable<Uint8Array>,
  { longest = longestLine }: ReadFramesOptions = {},
): AsyncGenerator<Frame, void> {
  const read = createLineReader(longest);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (bytes: Uint8Array): string => decoder.decode(bytes);
  let count = 0;

  function* framesOf(chunk: Uint8Array): Generator<Frame, void> {
    for (const line of read(chunk)) {
      count += 1;
      if (line === 'too-long') throw unreadable(count, `is longer than ${longest} bytes`);
      const frame = parse(decode, line, count);
      if (frame !== undefined) yield frame;
    }
  }

  for await (const chunk of stream) yield* framesOf(chunk);
  yield* framesOf(lineFeed);
}

function parse(decode: (bytes: Uint8Array) => string, line: Uint8Array, count: number): Frame | undefined {
  let value: unknown;
  try {
    const text = decode(line);
    if (text.trim() === '') return undefined;
    value = JSON.parse(text);
  } catch (error) {
    throw unreadable(count, `is no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (isDeeperThan(mostLevels, value)) throw unreadable(count, `is nested deeper than ${mostLevels} levels`);
  if (isFrame(value)) return value;
  throw unreadable(count, 'is JSON, but no object');
}

export function isFrame(value: unknown): value is Frame {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unreadable(count: number, problem: string): Error {
  return new Error(
    `Line ${count} of standard input ${problem}. --input-format stream-json takes one JSON object a line.`,
  );
}
