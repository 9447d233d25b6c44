/** One line that ripgrep gives of an open file. */
export interface ParsedLine {
  /** Which of the open files. */
  readonly file: number;
  readonly line: number;
  /** Of the line's first byte in the file, a byte order mark left out. */
  readonly byte: number;
  /** From 0, in bytes; undefined for a line that only stands beside a match. */
  readonly matchStart: number | undefined;
  /** Without the line break. Holds until the next line is parsed. */
  readonly bytes: Buffer;
}

export interface LineHandlers {
  /** `enough` ends the parsing. */
  readonly onLine: (line: ParsedLine) => 'more' | 'enough';
  /** The file is binary from here on, and ripgrep goes no further in it although there are matches. */
  readonly onBinary: (file: number) => void;
}

/** What ripgrep says of a line before the line itself, which is numbers alone. */
const longestHead = 100;
/** A line that ripgrep cut may still be long: it counts characters as people see them. */
const longestKept = 16 * 1024;

const lineHead = /^\/(?:proc\/self|dev)\/fd\/(\d+)\0(\d+)(?::(\d+):(\d+):|-(\d+)-)/;
const fileMessage = /^\/(?:proc\/self|dev)\/fd\/(\d+): binary file matches/;

/**
 * Parses the output of ripgrep for open files with `--null --line-number --column --byte-offset --no-context-separator`, in
 * bounded memory however long its lines are.
 */
export function createLineParser({ onLine, onBinary }: LineHandlers): (chunk: Buffer) => 'more' | 'enough' {
  /** The beginning of a line whose end is not there yet. */
  let kept: Buffer[] = [];
  let keptBytes = 0;

  const keep = (part: Buffer): void => {
    const wanted = part.subarray(0, longestKept - keptBytes);
    if (wanted.length === 0) return;
    // A copy: a small part would keep the whole chunk that it is from.
    kept.push(Buffer.from(wanted));
    keptBytes += wanted.length;
  };
  const takeLine = (bytes: Buffer): 'more' | 'enough' => {
    const text = bytes.toString('latin1', 0, longestHead);
    const head = lineHead.exec(text);
    if (head === null) {
      const message = fileMessage.exec(text);
      if (message !== null) onBinary(Number(message[1]) - 3);
      return 'more';
    }
    const [whole, descriptor, line, column, byte, contextByte] = head;
    return onLine({
      file: Number(descriptor) - 3,
      line: Number(line),
      byte: Number(byte ?? contextByte),
      matchStart: column === undefined ? undefined : Number(column) - 1,
      bytes: bytes.subarray(whole.length),
    });
  };

  return (chunk) => {
    let from = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, from)) {
      const part = chunk.subarray(from, end);
      from = end + 1;
      if (keptBytes > 0) keep(part);
      const line = keptBytes > 0 ? Buffer.concat(kept) : part;
      kept = [];
      keptBytes = 0;
      if (takeLine(line) === 'enough') return 'enough';
    }
    keep(chunk.subarray(from));
    return 'more';
  };
}
