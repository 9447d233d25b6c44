import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ToolError } from '@rondo/runtime';

let packaged: Promise<string | undefined> | undefined;

/**
 * Where ripgrep is: the one that is installed with this package, else the first `rg` of the search path given.
 * @throws ToolError with the way on where there is none.
 */
export async function findRipgrep(searchPath: string | undefined): Promise<string> {
  packaged ??= packagedRipgrep();
  const found = (await packaged) ?? ripgrepOn(searchPath);
  if (found !== undefined) return found;
  throw new ToolError(
    `There is no ripgrep for ${process.platform}-${process.arch} here. Install it so that \`rg\` is on the PATH, or install Rondo with its optional dependencies (@vscode/ripgrep). Until then search with Bash: grep and find.`,
  );
}

/** The package throws while it loads when it has no program for this machine. */
async function packagedRipgrep(): Promise<string | undefined> {
  try {
    const { rgPath } = await import('@vscode/ripgrep');
    return isProgram(rgPath) ? rgPath : undefined;
  } catch {
    return undefined;
  }
}

/** @internal Only for machines without the package; a relative folder on the path would be the session's own. */
export function ripgrepOn(searchPath: string | undefined): string | undefined {
  const folders = (searchPath ?? '').split(delimiter).filter((folder) => folder.startsWith('/'));
  return folders.map((folder) => join(folder, 'rg')).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
