import fs from 'node:fs';
import { dirname, join } from 'node:path';

const ignoreFiles = ['.gitignore', '.ignore', '.rgignore'];

export interface IgnoreRules {
  readonly args: readonly string[];
  /** An ignore file at the folder or above it counts; those below are found by ripgrep alone. */
  readonly arePresent: boolean;
}

/**
 * Which ignore files count for a folder, with links followed. In a repository those up to its root, as for git. Outside of one
 * a `.gitignore` counts too, but none above the session's folder: that of a home kept in git may name everything.
 */
export function ignoreRules(folder: string, cwd: string): IgnoreRules {
  let arePresent = false;
  let isAbove = false;
  let isAbovePresent = false;
  for (const place of foldersUp(folder)) {
    const hasRules = ignoreFiles.some((name) => fs.existsSync(join(place, name)));
    if (isAbove) isAbovePresent ||= hasRules;
    else arePresent ||= hasRules;
    // As ripgrep does, which cannot be told to stop there when a repository is not required.
    if (fs.existsSync(join(place, '.git'))) return { args: [], arePresent: arePresent || isAbovePresent };
    isAbove ||= place === cwd || !isWithin(cwd, place);
  }
  return { args: ['--no-require-git', ...(isAbovePresent ? ['--no-ignore-parent'] : [])], arePresent };
}

function foldersUp(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...foldersUp(parent)];
}

function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? folder : `${folder}/`);
}
