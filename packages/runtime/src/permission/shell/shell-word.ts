import {
  type CommandArgument,
  forEachChild,
  type ParsedScript,
  type SyntaxNode,
  type Word,
  type WordPart,
} from 'unbash';
import { isRiskyVariable } from './risky-variables.ts';

/** A word of the line, as far as it can be known without running it. */
export interface ShellWord {
  /** As the line spells it, quotes included. */
  readonly text: string;
  /** Quoting undone, expansions as they are spelled. */
  readonly spelled: string;
  readonly value: string | undefined;
  /** It may come to no word or to several, each of which may be anything: an expansion outside of quotes. */
  readonly splits: boolean;
  /** What each word that it comes to begins with, whatever the unknown rest is; of a known word all of it. */
  readonly prefix: string;
  /** It is `~/<this>`. */
  readonly fromHome?: string;
  /** It names something in this folder. */
  readonly below?: string;
  /** What it runs: substitutions at any depth. */
  readonly scripts: readonly ParsedScript[];
  /** An expansion that itself evaluates text as code, and which. */
  readonly hazard?: string;
}

const noScripts: readonly ParsedScript[] = [];
const tilde = /(?:^|[=:])~/;

export function readWord(word: Word): ShellWord {
  const { parts, text, value: spelled } = word;
  const known = { text, spelled, value: spelled, splits: false, prefix: spelled };
  if (parts === undefined) return withTilde({ ...known, scripts: noScripts });
  if (parts.every(isKnown)) return withTilde({ ...known, scripts: noScripts });
  const below = folderBefore(parts);
  return {
    text,
    spelled,
    value: undefined,
    splits: parts.some(splits),
    prefix: knownPrefix(parts),
    ...(below === undefined ? {} : { below }),
    ...substitutionsOf(parts),
  };
}

/** `export name=value`: to the shell an assignment, to rules a word like others. */
export function argumentWord(argument: CommandArgument): ShellWord {
  if (argument.type === 'Word') return readWord(argument);
  const { text, name, value, append } = argument;
  const before = `${name}${append === true ? '+=' : '='}`;
  if (value.type === 'ArrayValue' || argument.index !== undefined) return { ...unknownWord(text), prefix: before };
  const word = readWord(value);
  const spelled = before + word.spelled;
  const prefix = before + word.prefix;
  return { ...word, text, spelled, prefix, splits: false, value: word.value === undefined ? undefined : spelled };
}

/** A word made from text that an option or another program takes out of a word: known, or unknown as a whole. */
export function plainWord(value: string): ShellWord {
  return { text: value, spelled: value, value, splits: false, prefix: value, scripts: noScripts };
}

/** The rest of a word behind its first letters, such as the value in `--output=value`. */
export function wordBehind(word: ShellWord, length: number): ShellWord {
  const spelled = word.spelled.slice(length);
  if (word.value !== undefined) return plainWord(spelled);
  return { ...unknownWord(spelled), splits: word.splits, prefix: word.prefix.slice(length) };
}

/** A word that only running tells, such as what `xargs` appends. */
export function unknownWord(spelled: string, splits = false): ShellWord {
  return { text: spelled, spelled, value: undefined, splits, prefix: '', scripts: noScripts };
}

/** Known, and without any sign that code is made of. */
export function isBareWord({ value }: ShellWord): boolean {
  return value !== undefined && /^[\w./:=@,+%-]+$/.test(value);
}

/** What is read there comes to the program from the line: through a pipe, a redirect or a substitution. */
export function isInput({ value, text, prefix }: ShellWord): boolean {
  return value === '-' || /^\/(?:dev\/(?:stdin|fd\/|tty)|proc\/[^/]+\/fd\/)/.test(prefix) || text.startsWith('<(');
}

/** A flag may stand where this word does, and its words do not tell. */
export function mayBeFlag({ value, splits, prefix }: ShellWord): boolean {
  if (value !== undefined) return false;
  return splits || prefix === '' || (prefix.startsWith('-') && !/^--[\w-]+=/.test(prefix));
}

/** The shell replaces an unquoted `~`, also behind `name=` and `:` where it takes the word for an assignment. */
function withTilde(word: ShellWord): ShellWord {
  if (!word.text.includes('~') || !tilde.test(word.text)) return word;
  const home = /^~(?:\/|$)/.test(word.text) ? word.spelled.slice(2) : undefined;
  return { ...word, value: undefined, ...(home === undefined ? {} : { fromHome: home }) };
}

function isPlain({ type }: WordPart): boolean {
  return type === 'Literal' || type === 'SingleQuoted' || type === 'AnsiCQuoted';
}

function isKnown(part: WordPart): boolean {
  return isPlain(part) || (part.type === 'DoubleQuoted' && part.parts.every(({ type }) => type === 'Literal'));
}

/** Patterns and braces come to several words too, but to none that begins otherwise. */
function splits(part: WordPart): boolean {
  switch (part.type) {
    case 'DoubleQuoted':
    case 'LocaleString':
      return part.parts.some(isList);
    case 'SimpleExpansion':
    case 'ParameterExpansion':
    case 'CommandExpansion':
    case 'ArithmeticExpansion':
      return true;
    case 'BraceExpansion':
    case 'ExtendedGlob':
      return part.parts?.some(splits) ?? true;
    default:
      return false;
  }
}

/** `"$@"` and `"${list[@]}"` come to many words though they are quoted. */
function isList(part: WordPart): boolean {
  if (part.type === 'SimpleExpansion') return part.text === '$@';
  return part.type === 'ParameterExpansion' && part.text.includes('@');
}

function knownPrefix(parts: readonly WordPart[]): string {
  let known = '';
  for (const part of parts) {
    if (part.type === 'Literal' || part.type === 'SingleQuoted' || part.type === 'AnsiCQuoted') known += part.value;
    else if (part.type === 'ProcessSubstitution') return `${known}/dev/fd/`;
    else if (part.type !== 'DoubleQuoted') return known;
    else {
      for (const inner of part.parts) {
        if (inner.type !== 'Literal') return known;
        known += inner.value;
      }
    }
  }
  return known;
}

/** `src` for `src/*.ts`: nothing that a pattern stands for leaves the folder in front of it, unless by `..` behind it. */
function folderBefore(parts: readonly WordPart[]): string | undefined {
  const first = parts.findIndex((part) => !isKnown(part));
  const rest = parts.slice(first);
  if (!rest.every((part) => part.type === 'Glob' || isKnown(part))) return undefined;
  if (
    rest
      .map(({ text }) => text)
      .join('')
      .includes('..')
  )
    return undefined;
  const known = knownPrefix(parts);
  if (known.includes('~') || known.startsWith('-')) return undefined;
  const slash = known.lastIndexOf('/');
  return slash < 0 ? '.' : slash === 0 ? '/' : known.slice(0, slash);
}

interface Substitutions {
  readonly scripts: readonly ParsedScript[];
  readonly hazard?: string;
}

/**
 * In a here-document the parser says nothing of what does not end: a quote in a comment hides the end of `$(( a # it's`,
 * which the shell then takes for a command in a command.
 */
function endless(text: string, ...ends: readonly string[]): string | undefined {
  return ends.some((end) => text.endsWith(end)) ? undefined : `the end of ${text} cannot be found`;
}

/** Everything that evaluating these nodes runs, in the line's order. */
export function substitutionsOf(nodes: Iterable<SyntaxNode>): Substitutions {
  const scripts: ParsedScript[] = [];
  let hazard: string | undefined;
  const visit = (node: SyntaxNode): void => {
    switch (node.type) {
      case 'CommandExpansion':
      case 'ProcessSubstitution':
      case 'ArithmeticCommandExpansion':
        if (node.script === undefined) hazard ??= `the substitution ${node.text} cannot be read`;
        else scripts.push(node.script);
        return;
      case 'ArithmeticExpansion':
        hazard ??= endless(node.text, '))', ']');
        break;
      case 'ParameterExpansion':
        hazard ??= endless(node.text, '}');
        if (node.prefix === '!' && node.operation?.type !== 'Names')
          hazard ??= `${node.text} names a variable through another`;
        if (node.operation?.type === 'Transform' && node.operation.operand.value === 'P') {
          hazard ??= `${node.text} runs what its value holds`;
        }
        if (
          node.operation?.type === 'Default' &&
          node.operation.operator.includes('=') &&
          isRiskyVariable(node.parameter)
        ) {
          hazard ??= `${node.text} sets ${node.parameter}`;
        }
        if (node.operation?.type === 'Unknown') hazard ??= `the expansion ${node.text} is not known`;
        break;
      default:
    }
    forEachChild(node, visit);
  };
  for (const node of nodes) visit(node);
  return hazard === undefined ? { scripts } : { scripts, hazard };
}
