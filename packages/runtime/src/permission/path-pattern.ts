import type { GitignorePattern } from './gitignore-pattern.ts';

/** Compares paths with patterns as gitignore has them. */
export interface PathPatterns {
  /** @param path relative to the folder that the pattern starts from, normal and not empty. */
  matches(pattern: string, path: string, foldCase: boolean): boolean;
}

let loading: Promise<PathPatterns> | undefined;

/** Loads what compares patterns: only a policy with a pattern in a rule for paths needs it. */
export function loadPathPatterns(): Promise<PathPatterns> {
  return (loading ??= import('./gitignore-pattern.ts').then(({ compileGitignorePattern }) => {
    const compiled = new Map<string, GitignorePattern>();
    return {
      matches(pattern, path, foldCase) {
        const key = `${foldCase ? 'i' : 's'}${pattern}`;
        let matches = compiled.get(key);
        if (matches === undefined) compiled.set(key, (matches = compileGitignorePattern(pattern, foldCase)));
        return matches(path);
      },
    };
  }));
}

/** True where the content of a rule holds a pattern, not a plain path. */
export function isPathPattern(content: string): boolean {
  return /[*?[]/.test(content);
}

/** A pattern taken apart: the folder that is spelled plainly in front, and the rest as gitignore reads it. */
export function splitPathPattern(content: string): { readonly folder: string; readonly pattern: string } {
  const segments = content.split('/');
  const first = segments.findIndex((segment) => isPathPattern(segment));
  const folder = segments.slice(0, first).join('/');
  const rest = segments.slice(first).join('/');
  // Behind a folder, and with a slash in its midst, it is meant from there and not at any depth.
  const isAnchored = first > 0 || /\/(?!$)/.test(rest);
  const sign = /^[!#]/.test(rest) ? '\\' : '';
  return { folder, pattern: isAnchored ? `/${rest}` : `${sign}${rest}` };
}
