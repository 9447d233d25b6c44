import { compileWildcard, type Wildcard } from './shell-wildcard.ts';

/** What the content of a shell rule matches. Made once a rule. */
export interface ShellPattern {
  /** The text in front of the first star. */
  readonly head: string;
  /** No star stands for anything: the text is the whole of it. */
  readonly isExact: boolean;
  /** A star stands for any text: for rules that deny or ask. */
  readonly matches: (text: string, foldCase: boolean) => boolean;
  /** A star stands for what can stand in one command, but no substitution: for rules that allow. */
  readonly matchesCommand: (text: string) => boolean;
  /** A star stands for nothing that ends a command or opens a file: for rules that allow a whole line. */
  readonly matchesLine: (text: string) => boolean;
  /** Where the rule spans several commands: a pattern for each of them, as denying takes it. */
  readonly parts: readonly ShellPattern[];
  /** It can begin in the middle of a line: it has redirects, or begins with a word of the shell's own grammar. */
  readonly floats: boolean;
}

const keywords = new Set(
  ['if then elif else fi for while until do done case esac select in function coproc { } ( ) !'].flatMap((line) =>
    line.split(' '),
  ),
);

const beyondCommand = /\$\(|[<>]\(|`/;
const beyondPlainText = /\$\(|[;&|<>\n\r`]/;

/** The word of the shell's grammar that the line begins with, such as `if` or `do`. */
export function compoundKeyword(line: string): string | undefined {
  const first = /^(?:[{}()!](?=\s|$)|[a-z]+(?=\s|:\*$|$)|\()/.exec(line)?.[0];
  return first !== undefined && keywords.has(first) ? first : undefined;
}

/**
 * `git push` is that command alone; `git push:*` and `git push *` are it with any arguments, never `git pushx`; a star
 * anywhere else stands for any text. A prefix that ends within a quote goes on within it.
 */
export function compileShellPattern(written: string, literal = false): ShellPattern {
  const content = /["'\\]/.test(written) ? written : written.replace(/[ \t]+/g, ' ');
  const keyword = compoundKeyword(content);
  const bare = withoutKeywords(content);
  const isKeywordAlone = keyword !== undefined && /^(?::?\*)?$/.test(bare);
  const parts = literal || isKeywordAlone ? [] : partsOf(bare);
  const isSeveral = parts.length > 1 || (keyword !== undefined && parts.length === 1);
  const star = literal ? -1 : content.indexOf('*');
  const isExact = star < 0;
  const cut = /(?::\*| \*)$/.test(content) ? content.slice(0, -2) : content;
  const first = firstWordOf(content, isExact);
  const begins = (text: string): boolean => first === undefined || text.startsWith(first);
  const loose = lazily(() => compileWildcard(content, { literal }));
  const looseFolded = lazily(() => compileWildcard(content, { literal, foldCase: true }));
  const plainQuotes = lazily(() => compileWildcard(unquoted(content), { literal }));
  const command = lazily(() => compileWildcard(content, { literal, forbidden: beyondCommand }));
  const line = lazily(() => compileWildcard(content, { literal, forbidden: beyondPlainText }));
  return {
    head: isExact ? content : cut.includes('*') ? content.slice(0, star) : cut,
    isExact,
    matches: (text, foldCase) =>
      (foldCase ? looseFolded().test(text) : begins(text) && loose().test(text)) ||
      (/["'\\]/.test(content) && plainQuotes().test(text)),
    matchesCommand: (text) =>
      isExact
        ? text === content
        : begins(text) && (command().test(text) || (loose().test(text) && !hasSubstitution(text))),
    matchesLine: (text) => (isExact ? text === content : begins(text) && line().test(text)),
    parts: isSeveral ? parts.map((part) => compileShellPattern(/\*/.test(part) ? part : `${part}:*`)) : [],
    floats: keyword !== undefined || (!literal && /[<>]/.test(content)),
  };
}

/** The content without the grammar's words that it begins with: `if ! ls` is about `ls`. */
function withoutKeywords(content: string): string {
  let bare = content;
  for (;;) {
    const keyword = compoundKeyword(bare);
    if (keyword === undefined) return bare;
    bare = bare.slice(keyword.length).trim();
  }
}

/** What every text that matches begins with; for most rules that settles it. */
function firstWordOf(content: string, isExact: boolean): string | undefined {
  if (isExact) return content.includes(' ') ? /^\S*/.exec(content)?.[0] : content;
  return /^[^\s*]+(?=\s|:\*$)/.exec(content)?.[0];
}

/** A pattern that may begin at any command of a line. */
export function floatingPattern(content: string): Wildcard {
  return compileWildcard(content, { floats: true });
}

/** The commands that the content spells one after the other, without what they redirect. */
function partsOf(content: string): string[] {
  const parts: string[] = [];
  let part = '';
  let quote = '';
  for (let index = 0; index < content.length; index += 1) {
    const character = content.charAt(index);
    if (character === '\\') {
      part += character + content.charAt((index += 1));
      continue;
    }
    if (quote !== '') {
      if (character === quote) quote = '';
    } else if (character === '"' || character === "'") quote = character;
    else if (/[;|&\n]/.test(character) && !'<>'.includes(part.at(-1) ?? ' ') && content.charAt(index + 1) !== '>') {
      parts.push(part);
      part = '';
      continue;
    }
    part += character;
  }
  return [...parts, part]
    .map((each) => each.replace(/\d{0,3}(?:>>?|<<?)[&|]?\s*\S+/g, '').trim())
    .filter((each) => each !== '');
}

/** Whether the shell would run something to make the text; what stands in single quotes stays as it is. */
function hasSubstitution(text: string): boolean {
  let isDouble = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === '\\') index += 1;
    else if (character === '"') isDouble = !isDouble;
    else if (character === "'" && !isDouble) {
      const end = text.indexOf("'", index + 1);
      if (end < 0) return true;
      index = end;
    } else if (character === '`' || /^(?:\$\(|[<>]\()/.test(text.slice(index, index + 2))) return true;
  }
  return false;
}

function unquoted(content: string): string {
  return content.replace(/\\(.)/gs, '$1').replace(/["']/g, '');
}

function lazily<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => (made ??= make());
}
