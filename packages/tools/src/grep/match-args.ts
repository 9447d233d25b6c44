import { ToolError } from '@rondo/runtime';
import type { GrepInput } from './grep-input.ts';

/** Longest single argument that Linux passes to a program, less a page for what goes with it. */
const longestPattern = 127 * 1024;

/**
 * What matches, as ripgrep is told it.
 * @throws ToolError when no program can be told such a pattern.
 */
export function matchArgs({ pattern, '-i': ignoreCase, multiline }: GrepInput): string[] {
  if (pattern.includes('\0')) throw new ToolError('pattern holds a NUL character; write \\x00 for it.');
  if (Buffer.byteLength(pattern) > longestPattern) {
    throw new ToolError(`pattern is too long: at most ${longestPattern} bytes are possible.`);
  }
  return [
    // "$" is before the line break of Windows too.
    '--crlf',
    ...(ignoreCase === true ? ['--ignore-case'] : []),
    ...(multiline === true ? ['--multiline', '--multiline-dotall'] : []),
    `--regexp=${pattern}`,
  ];
}

/** Lines around each match. What is said for one side counts more than what is said for both. */
export function contextOf(input: GrepInput): { readonly before: number; readonly after: number } {
  const both = input.context ?? input['-C'] ?? 0;
  return { before: input['-B'] ?? both, after: input['-A'] ?? both };
}
