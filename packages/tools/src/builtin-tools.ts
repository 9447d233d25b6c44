import type { Tool } from '@rondo/runtime';
import { bash } from './bash.ts';
import { edit } from './edit.ts';
import { glob } from './glob.ts';
import { grep } from './grep.ts';
import { read } from './read.ts';
import { write } from './write.ts';

/** The built-in tools by name, in the order in which models see them. What runs a call is loaded with the first one. */
export const builtinTools = {
  Read: read,
  Write: write,
  Edit: edit,
  Bash: bash,
  Glob: glob,
  Grep: grep,
} as const satisfies Record<string, Tool>;

export type BuiltinToolName = keyof typeof builtinTools;

/** What a session has where no tools are named. Models search with Bash then; Glob and Grep are there when asked for. */
const defaultTools: readonly BuiltinToolName[] = ['Read', 'Write', 'Edit', 'Bash'];

/** The built-in tools that are named, or those of an ordinary session. */
export function createBuiltinTools(names: readonly BuiltinToolName[] = defaultTools): Tool[] {
  return names.map((name) => builtinTools[name]);
}
