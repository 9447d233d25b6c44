import fs from 'node:fs';
import { type NameBytes, pathBelow } from '../search/file-names.ts';

export interface OpenedFile {
  readonly name: NameBytes;
  readonly descriptor: number;
}

/** Opens a file that a search came upon; undefined where another one, or none, stands in its place by now. */
export function openMatched(folder: string, name: NameBytes): OpenedFile | undefined {
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = fs.constants;
  const path = pathBelow(folder === '/' ? '' : folder, name);
  let descriptor: number;
  try {
    descriptor = fs.openSync(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  } catch {
    return undefined;
  }
  if (fs.fstatSync(descriptor).isFile() && isInPlace(descriptor, path)) return { name, descriptor };
  fs.closeSync(descriptor);
  return undefined;
}

/** No folder on the way has become a link. */
function isInPlace(descriptor: number, path: string | Buffer): boolean {
  const place = placeOf(descriptor, path);
  return place !== undefined && Buffer.from(path).equals(place);
}

function placeOf(descriptor: number, path: string | Buffer): Buffer | undefined {
  try {
    return process.platform === 'linux'
      ? fs.readlinkSync(`/proc/self/fd/${descriptor}`, 'buffer')
      : fs.realpathSync.native(path, 'buffer');
  } catch {
    return undefined;
  }
}

/** A part of one line, from a byte of the file on; undefined where bytes of the file are not bytes of its text. */
export function readLinePart(descriptor: number, start: number, length: number): Buffer | undefined {
  try {
    const mark = Buffer.alloc(3);
    fs.readSync(descriptor, mark, 0, 3, 0);
    const isUtf16 = (mark[0] === 0xff && mark[1] === 0xfe) || (mark[0] === 0xfe && mark[1] === 0xff);
    if (isUtf16) return undefined;
    // ripgrep counts from after the mark.
    const markBytes = mark[0] === 0xef && mark[1] === 0xbb && mark[2] === 0xbf ? 3 : 0;
    const bytes = Buffer.alloc(length);
    const count = fs.readSync(descriptor, bytes, 0, length, start + markBytes);
    const lineBreak = bytes.indexOf(0x0a);
    return bytes.subarray(0, lineBreak === -1 ? count : lineBreak);
  } catch {
    return undefined;
  }
}
