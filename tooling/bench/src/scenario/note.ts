import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

const line = 'At six the wind turned north and the harbour lay still under a thin sheet of ice.\n';
/** Two kilobytes: a small source file. */
const lines = 25;

export function notePath(folder: string, index: number): string {
  return path.join(folder, `note-${index}.txt`);
}

/** Writes the files that the model asks for, one a step: a file read twice would be no fair work for a tool that remembers. */
export async function writeNotes(folder: string, count: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  await Promise.all(
    Array.from({ length: count }, (_, index) =>
      writeFile(notePath(folder, index), `Note ${index}\n${line.repeat(lines)}`),
    ),
  );
}
