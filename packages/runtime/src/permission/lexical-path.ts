/** A part that is empty, `.` or `..`. */
const isRough = /\/\.{0,2}(?:\/|$)/;

/**
 * The path from `base` with `.`, `..` and doubled slashes folded away, by its text alone: where it leads is the file
 * system's to say.
 */
export function normalPath(base: string, path: string): string {
  const absolute = absolutePath(base, path);
  if (!isRough.test(absolute)) return absolute;
  const parts: string[] = [];
  for (const part of absolute.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') parts.pop();
    else parts.push(part);
  }
  return `/${parts.join('/')}`;
}

/** The path from `base`, otherwise as it came: the file system follows links before it takes a `..`. */
export function absolutePath(base: string, path: string): string {
  return path.startsWith('/') ? path : `${base}/${path}`;
}

/** True for the folder itself and everything below it. Both are normal; `foldCase` where the file system does not tell case. */
export function isWithin(folder: string, path: string, foldCase: boolean): boolean {
  const [outer, inner] = foldCase ? [folder.toLowerCase(), path.toLowerCase()] : [folder, path];
  return inner === outer || inner.startsWith(outer === '/' ? outer : `${outer}/`);
}

export function parentPath(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}
