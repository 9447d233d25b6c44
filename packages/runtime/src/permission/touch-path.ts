import type { JudgedPath, JudgedPaths } from './judged-paths.ts';
import { isWithin } from './lexical-path.ts';
import type { RulePath } from './rule-path.ts';
import type { Touch } from './touch.ts';

/** Whether a rule that denies or asks is about the path, in any of its forms. What cannot be compared may be what it is about. */
export function touchesPath(place: RulePath, path: JudgedPath, paths: JudgedPaths, foldCase: boolean): Touch {
  const touched = path.forms.map((form) =>
    form === undefined ? 'maybe' : touchesForm(place, form, path, paths, foldCase),
  );
  const found: Touch = touched.includes('yes') ? 'yes' : touched.includes('maybe') ? 'maybe' : 'no';
  return found === 'yes' && path.maybe === true ? 'maybe' : found;
}

function touchesForm(place: RulePath, form: string, path: JudgedPath, paths: JudgedPaths, foldCase: boolean): Touch {
  const fold = foldCase || isDrive(form);
  const inside = placesOf(place, paths).some((folder) => isWithin(folder, form, fold));
  if (inside && place.pattern === undefined) return 'yes';
  if (place.plain !== undefined && isWithin(place.plain, form, fold)) return 'yes';
  if (
    place.name !== undefined &&
    basesOf(place, paths).some((base) => hasSegmentBelow(base, form, place.name ?? '', fold))
  ) {
    return 'yes';
  }
  if (place.pattern !== undefined && matchesPattern(place, placesOf(place, paths), form, paths, fold)) return 'yes';
  return path.tree === true && mayBeBelow(place, form, paths, fold) ? 'maybe' : 'no';
}

/** True for a path that an allow rule is about where it is spelled, its trusted base resolved: a link laid at its path does not carry it along. */
export function coversForm(place: RulePath, form: string, paths: JudgedPaths, foldCase: boolean): boolean {
  const resolved = resolvedByBase(place.base, place.path, paths);
  const places = resolved === undefined ? [place.path] : [place.path, resolved];
  if (place.pattern === undefined) return places.some((folder) => isWithin(folder, form, foldCase));
  if (place.plain === form) return true;
  const { patterns } = paths;
  return places.some((folder) => {
    const rest = restBelow(folder, form, foldCase);
    return rest !== undefined && rest !== '' && patterns?.matches(place.pattern ?? '', rest, foldCase) === true;
  });
}

/** Without what compares patterns, a pattern matches whatever is in its folder. */
function matchesPattern(
  { pattern = '' }: RulePath,
  folders: readonly string[],
  form: string,
  { patterns }: JudgedPaths,
  foldCase: boolean,
): boolean {
  return folders.some((folder) => {
    const rest = restBelow(folder, form, foldCase);
    if (rest === undefined) return false;
    if (patterns === undefined) return true;
    // Who may not see what is in a folder may not see the folder.
    if (rest === '') return /^\/\*\*\/?\*?$/.test(pattern);
    const folderItself = pattern.endsWith('/**') && pattern.length > 3 ? pattern.slice(0, -3) : undefined;
    return (
      patterns.matches(pattern, rest, foldCase) ||
      (folderItself !== undefined && patterns.matches(folderItself, rest, foldCase))
    );
  });
}

/** Whether what the rule is about can lie below a folder of which all may be opened. */
function mayBeBelow(place: RulePath, form: string, paths: JudgedPaths, foldCase: boolean): boolean {
  const isBelow = [...placesOf(place, paths), place.plain].some(
    (each) => each !== undefined && isWithin(form, each, foldCase),
  );
  if (isBelow) return true;
  const bases =
    place.name === undefined ? (place.pattern === undefined ? [] : placesOf(place, paths)) : basesOf(place, paths);
  return bases.some((base) => isWithin(base, form, foldCase));
}

function placesOf(place: RulePath, paths: JudgedPaths): string[] {
  const all = [place.path, paths.resolved(place.path), resolvedByBase(place.base, place.path, paths)];
  return [...new Set(all.filter((each) => each !== undefined))];
}

function basesOf({ base }: RulePath, paths: JudgedPaths): string[] {
  return [base, paths.resolved(base)].filter((each) => each !== undefined);
}

function resolvedByBase(base: string, path: string, paths: JudgedPaths): string | undefined {
  const resolved = paths.resolved(base);
  if (resolved === undefined || !isWithin(base, path, false)) return undefined;
  const rest = base === '/' ? path : path.slice(base.length);
  return resolved === '/' ? rest || '/' : resolved + rest;
}

/** True when one of the path's segments below the folder is the name. */
function hasSegmentBelow(folder: string, path: string, name: string, foldCase: boolean): boolean {
  const rest = restBelow(folder, path, foldCase);
  if (rest === undefined) return false;
  const segments = rest.split('/');
  return segments.some((segment) => (foldCase ? segment.toLowerCase() === name.toLowerCase() : segment === name));
}

function restBelow(folder: string, path: string, foldCase: boolean): string | undefined {
  if (!isWithin(folder, path, foldCase)) return undefined;
  return folder === '/' ? path.slice(1) : path.slice(folder.length + 1);
}

/** Where the first folder is a drive, letter case does not count. */
function isDrive(path: string): boolean {
  return /^\/[a-z](?:\/|$)/.test(path);
}
