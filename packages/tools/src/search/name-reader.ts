import type { NameBytes } from './file-names.ts';

/** Reads names that end with a NUL each, without their `./`. */
export function createNameReader(onName: (name: NameBytes) => void): (chunk: Buffer) => void {
  let rest = '';
  return (chunk) => {
    const names = (rest + chunk.toString('latin1')).split('\0');
    rest = names.pop() ?? '';
    for (const name of names) onName(bareName(name));
  };
}

/** Reads names that end with a NUL each and are followed by a number and a line break. */
export function createCountReader(onCount: (name: NameBytes, count: number) => void): (chunk: Buffer) => void {
  let rest = '';
  return (chunk) => {
    const text = rest + chunk.toString('latin1');
    let from = 0;
    for (;;) {
      const end = text.indexOf('\0', from);
      const line = end === -1 ? -1 : text.indexOf('\n', end);
      if (line === -1) break;
      onCount(bareName(text.slice(from, end)), Number(text.slice(end + 1, line)));
      from = line + 1;
    }
    rest = text.slice(from);
  };
}

function bareName(name: string): NameBytes {
  return name.startsWith('./') ? name.slice(2) : name;
}
