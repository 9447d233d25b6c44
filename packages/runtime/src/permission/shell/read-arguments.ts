import { mayBeFlag, plainWord, type ShellWord, wordBehind } from './shell-word.ts';

/**
 * The flags of a program, in one line: each with what stands behind it.
 *
 * nothing: alone · `=` takes a value · `?` takes one only where attached · `<` `>` reads, writes the file that it
 * names · `/` a folder to work in · `$` shell code to run · `&` a program to run in ways of
 * its own · `@` stands in for the first operand, as `-e=@` of `grep`
 * does · `+` goes through whole folders · `.` the program then runs no other · `!` not understood. Two of `=<>/$&`: two
 * values.
 *
 * `*` as a word of its own: every other flag is harmless and alone.
 */
export type FlagGrammar = string;

export interface Option {
  readonly name: string;
  readonly marks: string;
  readonly value: ShellWord | undefined;
}

export interface Arguments {
  readonly options: readonly Option[];
  readonly operands: readonly ShellWord[];
  /** Why the flags are not all understood. What is listed was understood nevertheless, as well as can be. */
  readonly doubt?: string;
}

interface Grammar {
  readonly marks: ReadonlyMap<string, string>;
  readonly long: readonly string[];
  /** Flags that are not listed are harmless. */
  readonly lenient: boolean;
  /** So are those that are listed: a word that is not known does no harm, whatever flag it may be. */
  readonly harmless: boolean;
}

const grammars = new Map<FlagGrammar, Grammar>();
const valueMarks = /[=<>/$&]/g;
const takesValue = /[=<>/$&]/;

function grammarOf(flags: FlagGrammar): Grammar {
  const known = grammars.get(flags);
  if (known !== undefined) return known;
  const marks = new Map<string, string>();
  for (const [, name = '', mark = ''] of flags.matchAll(/(--?[^\s=?<>/$&@+.!]+|-\?)([=?<>/$&@+.!]*)/g))
    marks.set(name, mark);
  const long = [...marks.keys()].filter((name) => name.startsWith('--'));
  const lenient = /(?:^|\s)\*(?:\s|$)/.test(flags);
  const grammar = {
    marks,
    long,
    lenient,
    harmless: lenient && ![...marks.values()].some((mark) => /[!>$&]/.test(mark)),
  };
  grammars.set(flags, grammar);
  return grammar;
}

interface Reading {
  readonly grammar: Grammar;
  readonly words: readonly ShellWord[];
  next: number;
  readonly options: Option[];
  doubt?: string;
}

/**
 * Takes the arguments of a program apart by its flags.
 *
 * @param stopsAtOperand the first operand ends the flags, as where a command to run follows them
 */
export function readArguments(words: readonly ShellWord[], flags: FlagGrammar, stopsAtOperand = false): Arguments {
  const reading: Reading = { grammar: grammarOf(flags), words, next: 0, options: [] };
  const operands: ShellWord[] = [];
  while (reading.next < words.length) {
    const word = words[reading.next];
    if (word === undefined) break;
    reading.next++;
    if (word.value === '--') {
      operands.push(...words.slice(reading.next));
      break;
    }
    if (mayBeFlag(word) && !reading.grammar.harmless) reading.doubt ??= `${word.spelled} may be a flag`;
    if (!word.prefix.startsWith('-') || word.value === '-') {
      operands.push(word);
      if (!stopsAtOperand) continue;
      operands.push(...words.slice(reading.next));
      break;
    }
    if (word.prefix.startsWith('--')) readLong(reading, word);
    else readCluster(reading, word);
  }
  const { options, doubt } = reading;
  return doubt === undefined ? { options, operands } : { options, operands, doubt };
}

/** GNU programs take any beginning of a long flag that fits one flag only: `--outp` is `--output`. */
function readLong(reading: Reading, word: ShellWord): void {
  const { grammar } = reading;
  const equals = word.prefix.indexOf('=');
  const given = equals < 0 ? word.spelled : word.prefix.slice(0, equals);
  const fits = grammar.marks.has(given) ? [given] : grammar.long.filter((name) => name.startsWith(given));
  const marks = fits.map((name) => grammar.marks.get(name) ?? '');
  if (fits.length === 0) {
    if (!grammar.lenient) reading.doubt ??= `the flag ${given} is not known`;
    reading.options.push({ name: given, marks: '', value: undefined });
    return;
  }
  const refused = marks.find((mark) => mark.includes('!'));
  if (refused !== undefined || new Set(marks).size > 1) reading.doubt ??= `the flag ${given} is not understood`;
  const [name = given] = fits;
  const mark = refused ?? marks[0] ?? '';
  if (equals >= 0) {
    reading.options.push({ name, marks: mark, value: wordBehind(word, equals + 1) });
    return;
  }
  pushOption(reading, name, mark, undefined);
}

/** `-rf`, `-n5`, `-n 5`: letters up to one that takes a value, which is the rest or the next word. */
function readCluster(reading: Reading, word: ShellWord): void {
  const { grammar } = reading;
  const whole = grammar.marks.get(word.spelled);
  if (whole !== undefined && word.value !== undefined) {
    pushOption(reading, word.spelled, whole, undefined);
    return;
  }
  for (let at = 1; at < word.prefix.length; at++) {
    const name = `-${word.prefix[at]}`;
    const mark = grammar.marks.get(name);
    if (mark === undefined && !grammar.lenient) reading.doubt ??= `the flag ${name} is not known`;
    const rest = at + 1 < word.spelled.length ? wordBehind(word, at + 1) : undefined;
    const valued = takesValue.test(mark ?? '') || mark?.includes('?') === true;
    pushOption(reading, name, mark ?? '', valued ? rest : undefined);
    if (valued) return;
  }
  if (word.value === undefined && !grammar.harmless) reading.doubt ??= `${word.spelled} may be any flag`;
}

function pushOption(reading: Reading, name: string, marks: string, attached: ShellWord | undefined): void {
  if (marks.includes('!')) reading.doubt ??= `the flag ${name} is not understood`;
  const kinds = marks.match(valueMarks) ?? [];
  if (kinds.length === 0) reading.options.push({ name, marks, value: attached });
  for (const [index, kind] of kinds.entries()) {
    const value = index === 0 && attached !== undefined ? attached : nextWord(reading, name);
    reading.options.push({ name, marks: index === 0 ? marks.replaceAll(valueMarks, '') + kind : kind, value });
  }
}

function nextWord(reading: Reading, name: string): ShellWord {
  const word = reading.words[reading.next];
  if (word === undefined) {
    reading.doubt ??= `the flag ${name} lacks its value`;
    return plainWord('');
  }
  reading.next++;
  if (word.splits && !reading.grammar.harmless) reading.doubt ??= `${word.spelled} may be several words`;
  return word;
}
