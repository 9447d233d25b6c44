import { StringDecoder } from 'node:string_decoder';
import { headOfOutput, joinOutput, outputShares, shortenOutput, tailOfOutput } from '@rondo/runtime';

/** No character takes more bytes of UTF-8 for each UTF-16 unit of its own. */
const bytesPerCharacter = 3;

/** The head and tail of a stream of any length, in memory of a fixed size. */
export interface OutputWindow {
  /** Bytes written so far. */
  readonly bytes: number;
  /** False once text was written that the head cannot hold. */
  readonly headOpen: boolean;
  write(chunk: Buffer): void;
  /** What is kept of the stream when it may have so many characters, at most those that the window was made for. */
  finish(characters: number): FinishedWindow;
}

export interface FinishedWindow {
  readonly text: string;
  /** Line breaks before the gap; undefined when the text is whole. */
  readonly linesBeforeGap: number | undefined;
}

/** Keeps at most `limit` characters. */
export function createOutputWindow(limit: number): OutputWindow {
  const shares = outputShares(limit);
  const headSize = shares.head * bytesPerCharacter;
  const tailSize = shares.tail * bytesPerCharacter;
  const head: Buffer[] = [];
  let headBytes = 0;
  let tail: Buffer | undefined;
  let bytes = 0;

  /** The newest `tailSize` bytes; position `n` of what follows the head is at `n % tailSize`. */
  const writeTail = (chunk: Buffer, position: number) => {
    if (tailSize === 0) return;
    tail ??= Buffer.allocUnsafe(tailSize);
    const kept = chunk.subarray(Math.max(0, chunk.length - tailSize));
    const at = (position + chunk.length - kept.length) % tailSize;
    const written = kept.copy(tail, at);
    if (written < kept.length) kept.copy(tail, 0, written);
  };

  const readTail = (): Buffer => {
    const length = bytes - headBytes;
    if (tail === undefined || length <= tailSize) return tail?.subarray(0, length) ?? Buffer.alloc(0);
    const at = length % tailSize;
    return Buffer.concat([tail.subarray(at), tail.subarray(0, at)]);
  };

  return {
    get bytes() {
      return bytes;
    },
    get headOpen() {
      return bytes <= headSize;
    },
    write(chunk) {
      const room = Math.min(chunk.length, headSize - headBytes);
      // A copy, so that a few bytes do not keep the whole buffer that they were read into.
      if (room > 0) head.push(Buffer.from(chunk.subarray(0, room)));
      headBytes += Math.max(0, room);
      if (room < chunk.length) writeTail(chunk.subarray(Math.max(0, room)), bytes + Math.max(0, room) - headBytes);
      bytes += chunk.length;
    },
    finish(characters) {
      const shown = outputShares(characters);
      const decoder = new StringDecoder('utf8');
      if (bytes <= headBytes + tailSize) {
        const whole = decoder.write(Buffer.concat([...head, readTail()])) + decoder.end();
        if (whole.length <= characters) return { text: whole, linesBeforeGap: undefined };
        return { text: shortenOutput(whole, characters), linesBeforeGap: countLines(headOfOutput(whole, shown.head)) };
      }
      const start = headOfOutput(decoder.write(Buffer.concat(head)), shown.head);
      const end = tailOfOutput(fromWholeCharacter(readTail()).toString('utf8'), shown.tail);
      return { text: joinOutput(start, end), linesBeforeGap: countLines(start) };
    },
  };
}

/** Without the rest of a character whose first bytes are gone. */
function fromWholeCharacter(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.subarray(start);
}

function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}
