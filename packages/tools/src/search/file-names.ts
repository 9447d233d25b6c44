import { isUtf8 } from 'node:buffer';
import { isAbsolute, relative } from 'node:path';

/**
 * Names of files are bytes. They are kept as the latin1 strings of these, which compare as the bytes do, and become text
 * only where they are shown.
 */
export type NameBytes = string;

/** The name as text. A byte that is no part of UTF-8 stands as `\xff`. */
export function nameText(name: NameBytes): string {
  if (isAscii(name)) return name;
  const bytes = Buffer.from(name, 'latin1');
  if (isUtf8(bytes)) return bytes.toString();
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const byte = bytes[at] ?? 0;
    const length = byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    const character = bytes.subarray(at, at + length);
    const isWhole = character.length === length && isUtf8(character);
    text += isWhole ? character.toString() : `\\x${byte.toString(16).padStart(2, '0')}`;
    at += isWhole ? length : 1;
  }
  return text;
}

/** What the system is given to open the name below a folder. */
export function pathBelow(folder: string, name: NameBytes): string | Buffer {
  const path = `${folder}/`;
  return isAscii(name) ? path + name : Buffer.concat([Buffer.from(path), Buffer.from(name, 'latin1')]);
}

/** In one line of a result: what would break the line, or show nothing, stands as an escape. */
export function printableName(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]/gu, (character) => {
    const escape = JSON.stringify(character).slice(1, -1);
    return escape === character ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}` : escape;
  });
}

/** Orders names as a listing does that goes into each folder in turn. */
export function orderKey(name: NameBytes): string {
  return name.replaceAll('/', '\0');
}

export function nameOfKey(key: string): NameBytes {
  return key.replaceAll('\0', '/');
}

/** How a path below the folder is written in results: from the session's folder on where it is in it, else whole. */
export function pathPrefix(folder: string, cwd: string): string {
  const inside = relative(cwd, folder);
  if (inside === '') return '';
  const isOutside = inside === '..' || inside.startsWith('../') || isAbsolute(inside);
  const shown = isOutside ? folder : inside;
  return shown.endsWith('/') ? shown : `${shown}/`;
}

function isAscii(name: NameBytes): boolean {
  return /^[\0-\x7f]*$/.test(name);
}
