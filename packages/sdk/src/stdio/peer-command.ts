import { existsSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import type { Options } from '../options/options.ts';
import { optionArguments } from './option-flags.ts';

/** Programs of these kinds are run by a JavaScript runtime; all else is a command by itself. */
const scripts: readonly string[] = ['.js', '.mjs', '.ts', '.tsx', '.jsx'];

export interface PeerCommand {
  readonly command: string;
  readonly args: string[];
  /** The path as the program gave it. */
  readonly path: string;
}

/** What is started for these options: `rondo` of the path unless the program names another. */
export function peerCommand(options: Options): PeerCommand {
  const path = options.pathToClaudeCodeExecutable ?? 'rondo';
  const args = optionArguments(options);
  if (!scripts.includes(extname(path))) return { command: path, args, path };
  return {
    command: options.executable ?? ownRuntime(),
    args: [...(options.executableArgs ?? []), path, ...args],
    path,
  };
}

function ownRuntime(): string {
  if (process.versions['bun'] !== undefined) return 'bun';
  return process.versions['deno'] === undefined ? 'node' : 'deno';
}

/** Whether the path names a file, and not a command that is looked for. */
export function namesFile(path: string): boolean {
  return /[/\\]/.test(path) || scripts.includes(extname(path));
}

export function fileIsThere(path: string, cwd: string | undefined): boolean {
  return existsSync(resolve(cwd ?? '', path));
}
