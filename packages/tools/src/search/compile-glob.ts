import { type GlobPart, parseGlob } from './glob-syntax.ts';

/** A test for paths below one folder, their names joined by slashes. */
export interface PathGlob {
  matches(path: string): boolean;
  /**
   * What the name of a file that matches looks like, as globs of the simplest kind; other names may look so too. Undefined
   * where any name may match.
   */
  readonly names: readonly string[] | undefined;
  /** How many names a path that matches has at most; undefined where there is no limit. */
  readonly depth: number | undefined;
}

const mostNames = 50;

type Segment = readonly GlobPart[] | 'any';

/**
 * Compiles a glob. It stands for the whole path, and `*` for hidden names too. No glob makes a test slow: what has been
 * matched up to a `*` is never tried again.
 * @throws GlobError
 */
export function compileGlob(glob: string): PathGlob {
  const ways = parseGlob(glob).map(segmentsOf);
  const capture = createCapture();
  const sources = new Set(ways.map((way) => sourceOf(way, capture)));
  const pattern = new RegExp(`^(?:${[...sources].join('|')})$`, 'u');
  return { matches: (path) => pattern.test(path), names: namesOf(ways), depth: depthOf(ways) };
}

/** A test that any of the globs passes. */
export function anyGlob(globs: readonly PathGlob[]): PathGlob {
  const names = globs.map((glob) => glob.names);
  const depths = globs.map((glob) => glob.depth);
  return {
    matches: (path) => globs.some((glob) => glob.matches(path)),
    names: names.every((each) => each !== undefined) ? names.flat() : undefined,
    depth: depths.every((each) => each !== undefined) ? Math.max(...depths) : undefined,
  };
}

/** The parts between slashes; `**` alone between two of them is any number of names. */
function segmentsOf(parts: readonly GlobPart[]): Segment[] {
  const segments: GlobPart[][] = [[]];
  for (const part of parts) {
    if (part.kind === 'slash') segments.push([]);
    else segments.at(-1)?.push(part);
  }
  const named = segments.filter((segment) => segment.length > 0 && !isText(segment, '.'));
  return named
    .map((segment) => (segment.length > 1 && segment.every(({ kind }) => kind === 'many') ? 'any' : segment))
    .filter((segment, index, all) => segment !== 'any' || all[index - 1] !== 'any');
}

/**
 * Groups of segments with `**` between them. Where a group between two of them is found first it may stay, as whatever
 * comes later can only gain from it; the lookahead keeps the engine from going back on it.
 */
function sourceOf(segments: readonly Segment[], capture: Capture): string {
  const groups: (readonly GlobPart[])[][] = [[]];
  for (const segment of segments) {
    if (segment === 'any') groups.push([]);
    else groups.at(-1)?.push(segment);
  }
  const [first = [], ...rest] = groups;
  const last = rest.pop();
  const folders = (group: readonly (readonly GlobPart[])[]): string =>
    group.map((segment) => `${nameSource(segment, capture)}/`).join('');
  if (last === undefined) return first.map((segment) => nameSource(segment, capture)).join('/');
  const between = rest.map((group) => capture(`(?:[^/]*/)*?${folders(group)}`));
  const end =
    last.length === 0 ? '[^]+' : `(?:[^/]*/)*${last.map((segment) => nameSource(segment, capture)).join('/')}`;
  return folders(first) + between.join('') + end;
}

function nameSource(segment: readonly GlobPart[], capture: Capture): string {
  const pieces: string[] = [''];
  for (const part of segment) {
    if (part.kind === 'many') pieces.push('');
    else pieces.push(`${pieces.pop() ?? ''}${characterSource(part)}`);
  }
  const [first = '', ...rest] = pieces;
  const last = rest.pop();
  if (last === undefined) return first;
  const between = rest.filter((piece) => piece !== '').map((piece) => capture(`[^/]*?${piece}`));
  return `${first}${between.join('')}[^/]*${last}`;
}

function characterSource(part: GlobPart): string {
  if (part.kind === 'text') return part.text.replace(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`);
  return part.kind === 'class' ? `(?!/)[${part.source}]` : '[^/]';
}

/** A group that keeps what it matched first: JavaScript has no atomic groups, but never goes back into a lookahead. */
type Capture = (source: string) => string;

function createCapture(): Capture {
  let captures = 0;
  return (source) => {
    captures += 1;
    const name = `g${captures}`;
    return `(?=(?<${name}>${source}))\\k<${name}>`;
  };
}

function namesOf(ways: readonly Segment[][]): readonly string[] | undefined {
  const names = new Set<string>();
  for (const way of ways) {
    const last = way.at(-1);
    if (last === undefined || last === 'any') return undefined;
    const name = last
      .map((part) => (part.kind === 'text' && /^[\w.\-+@=% ]$/.test(part.text) ? part.text : '*'))
      .join('');
    if (/^\*+$/.test(name)) return undefined;
    names.add(name.replace(/\*+/g, '*'));
  }
  return names.size > mostNames ? undefined : [...names];
}

function depthOf(ways: readonly Segment[][]): number | undefined {
  return ways.some((way) => way.includes('any')) ? undefined : Math.max(1, ...ways.map((way) => way.length));
}

function isText(segment: readonly GlobPart[], text: string): boolean {
  return segment.map((part) => (part.kind === 'text' ? part.text : '\0')).join('') === text;
}
