import type { Tool } from '@rondo/runtime';
import { bash } from './bash.ts';
import { edit } from './edit.ts';
import { read } from './read.ts';
import { write } from './write.ts';

/** The built-in tools by name, in the order in which models see them. What runs a call is loaded with the first one. */
export const builtinTools = { Read: read, Write: write, Edit: edit, Bash: bash } as const satisfies Record<
  string,
  Tool
>;

export type BuiltinToolName = keyof typeof builtinTools;

/** The built-in tools, or those of them that are named. */
export function createBuiltinTools(names?: readonly BuiltinToolName[]): Tool[] {
  return names === undefined ? Object.values(builtinTools) : names.map((name) => builtinTools[name]);
}
