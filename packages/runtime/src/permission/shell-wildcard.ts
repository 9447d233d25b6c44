/** Says of a text whether it matches. Takes time in proportion to the text, whatever the text and however many stars. */
export interface Wildcard {
  test(text: string): boolean;
}

export interface WildcardOptions {
  /** A star in it is a star. */
  readonly literal?: boolean;
  /** What no star stands for. Where it could stand in one of two places, a text may be refused that would match. */
  readonly forbidden?: RegExp;
  readonly foldCase?: boolean;
  /** It may begin behind any command of a line, and end before another one. */
  readonly floats?: boolean;
}

/**
 * Compiles `git * --force`, where a star stands for any text, and `git push:*` or `git push *`, which end at the edge of a
 * word. A blank stands for one or more. No regular expression has two stars: it would try all ways of sharing the text
 * between them, and whoever writes the line could choose one with no end.
 */
export function compileWildcard(content: string, options: WildcardOptions = {}): Wildcard {
  const { literal = false, forbidden, foldCase = false, floats = false } = options;
  const flags = foldCase ? 'i' : '';
  const behind = '(?<=^|[;&|\\n(){}!\\s])';
  const ahead = '(?=$|[;&|\\n)}<>\\s])';
  if (literal || !content.includes('*')) {
    const exact = escaped(content);
    return new RegExp(floats ? `${behind}${exact}${ahead}` : `^${exact}$`, flags);
  }
  const prefix = /^(.*?)(?::\*| \*)$/s.exec(content)?.[1];
  const isOpenQuote = prefix !== undefined && /["'=]$/.test(prefix) && content.endsWith(':*');
  const pieces = (prefix ?? content).split('*');
  const last = pieces.length - 1;
  const end = floats ? ahead : isOpenQuote ? '' : prefix === undefined ? '$' : '(?=\\s|$)';
  const steps = pieces.map((piece, index) => {
    const [isFirst, isLast] = [index === 0, index === last];
    const source = `${escapedBetween(piece, !isFirst, !isLast)}${isLast && piece !== '' ? end : ''}`;
    // The first piece stands where the text begins, or a command of it.
    return new RegExp(
      isFirst && floats ? `${behind}${source}` : source,
      isFirst && !floats ? `y${flags}` : `g${flags}`,
    );
  });
  const allows = (gap: string): boolean => forbidden === undefined || !forbidden.test(gap);
  return {
    test(text) {
      let position = 0;
      for (const [index, step] of steps.entries()) {
        if (pieces[index] === '' && index > 0) continue;
        step.lastIndex = position;
        const found = step.exec(text);
        if (found === null) return false;
        // One character more, since what is forbidden may begin in the gap and end behind it.
        if (index > 0 && !allows(text.slice(position, found.index + 1))) return false;
        position = found.index + found[0].length;
      }
      return allows(text.slice(position));
    },
  };
}

/** Beside a star one blank is enough, since the star takes the others: two that repeat would share them in every way. */
function escapedBetween(piece: string, starBefore: boolean, starBehind: boolean): string {
  const [, before = '', middle = '', behind = ''] = /^( *)(.*?)( *)$/s.exec(piece) ?? [];
  const blank = '[ \\t]';
  const left = before === '' ? '' : starBefore ? blank : `${blank}+`;
  const right = behind === '' ? '' : starBehind ? blank : `${blank}+`;
  return middle === '' && left !== '' ? left : `${left}${escaped(middle)}${right}`;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&').replace(/ +/g, '[ \\t]+');
}
