import { ToolError } from '@rondo/runtime';
import { compileGlob, type PathGlob } from './compile-glob.ts';
import { GlobError } from './glob-syntax.ts';

/**
 * Compiles the glob of a call.
 * @throws ToolError which names the argument and says what is wrong with it.
 */
export function readGlob(argument: string, glob: string): PathGlob {
  if (glob.split('/').includes('..')) {
    throw new ToolError(`${argument} ${glob}: ".." can only stand at the beginning. Give the folder above as path.`);
  }
  try {
    return compileGlob(glob);
  } catch (error) {
    if (!(error instanceof GlobError)) throw error;
    throw new ToolError(`${argument} ${glob} cannot be read: ${error.message}.`, { cause: error });
  }
}

/** Spares ripgrep the files whose names cannot match; those that it gives still have to be tested. */
export function globArgs({ names, depth }: PathGlob): string[] {
  return [
    // Unlike `--glob`, a type does not bring back what an ignore file leaves out.
    ...(names === undefined ? [] : [...names.map((name) => `--type-add=wanted:${name}`), '--type=wanted']),
    ...(depth === undefined ? [] : [`--max-depth=${depth}`]),
  ];
}
