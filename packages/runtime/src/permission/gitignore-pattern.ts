import { readBracket } from './gitignore-bracket.ts';

/** True for a path that the pattern names, or that is below one. The path is relative, normal and not empty. */
export type GitignorePattern = (path: string) => boolean;

type Sign = 'star' | ((character: string) => boolean);
/** Of a segment, its signs; `any` is `**`; undefined is what git gives up on. */
type Segment = readonly Sign[] | 'any' | undefined;

/**
 * A pattern as gitignore has it, of which it is not known whether the path is a folder. Takes time in proportion to
 * pattern and path, whatever they are: regular expressions would share a path between many stars in every way, and
 * whoever names the path could choose one with no end.
 */
export function compileGitignorePattern(written: string, foldCase: boolean): GitignorePattern {
  const pattern = written.replace(/(?<!\\) +$/, '').replace(/\/$/, '');
  const isAnchored = pattern.includes('/');
  const spelled = (pattern.startsWith('/') ? pattern.slice(1) : pattern).split('/');
  const segments = spelled.map((text) => readSegment(text, foldCase));
  if (!isAnchored) segments.unshift('any');
  if (pattern === '' || segments.includes(undefined)) return () => false;
  return (path) => {
    const names = (foldCase ? path.toLowerCase() : path).split('/');
    // How many of the path's names what came so far may stand for.
    let reached: readonly number[] = [0];
    for (const [index, segment] of segments.entries()) {
      const [first] = reached;
      if (first === undefined) return false;
      if (segment !== 'any') reached = reached.filter((at) => fits(segment, names[at])).map((at) => at + 1);
      // At the end it stands for all that is within, never for the folder itself.
      else if (index === segments.length - 1) return first < names.length;
      else reached = names.slice(first).map((_, behind) => first + behind);
    }
    return reached.length > 0;
  };
}

function readSegment(text: string, foldCase: boolean): Segment {
  if (/^\*{2,}$/.test(text)) return 'any';
  const signs: Sign[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === '*') {
      if (signs.at(-1) !== 'star') signs.push('star');
    } else if (character === '?') signs.push(() => true);
    else if (character === '[') {
      const bracket = readBracket(text, index);
      if (bracket === undefined) return undefined;
      const { test } = bracket;
      signs.push(foldCase ? (other) => test(other) || test(other.toUpperCase()) : test);
      index = bracket.end;
    } else {
      if (character === '\\') index += 1;
      if (index >= text.length) return undefined;
      const literal = foldCase ? text.charAt(index).toLowerCase() : text.charAt(index);
      signs.push((other) => other === literal);
    }
  }
  return signs;
}

/** On a mismatch only the last star takes a character more: what stands before it is found as early as can be. */
function fits(signs: Segment, name: string | undefined): boolean {
  if (name === undefined || name === '' || signs === undefined || signs === 'any') return false;
  let [at, sign] = [0, 0];
  let star: { sign: number; at: number } | undefined;
  while (at < name.length) {
    const wanted = signs[sign];
    if (wanted === 'star') {
      star = { sign: (sign += 1), at };
    } else if (wanted?.(name.charAt(at)) === true) {
      at += 1;
      sign += 1;
    } else if (star === undefined) return false;
    else [at, sign] = [(star.at += 1), star.sign];
  }
  return signs.slice(sign).every((left) => left === 'star');
}
