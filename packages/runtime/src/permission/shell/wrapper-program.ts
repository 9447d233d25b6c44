import type { Call, Effect, Program } from './command-effect.ts';
import { type Arguments, type FlagGrammar, readArguments } from './read-arguments.ts';
import { optionCode, optionPaths, shellCode } from './row-program.ts';
import type { ShellAssignment, ShellCommand, ShellPath } from './shell-line.ts';
import { plainWord, type ShellWord } from './shell-word.ts';

/** A program that runs the command which its arguments are. */
export interface WrapperRow {
  /** Names with one meaning, a blank between them. */
  readonly names: string;
  readonly flags: FlagGrammar;
  /** What stands in front of the command: `word` or a file, `read` or `write`. */
  readonly before?: string;
  /** It does nothing else, and changes nothing about the command. */
  readonly passes: boolean;
  /** `NAME=value` may stand in front of the command. */
  readonly assigns?: true;
  /** It hands the words, joined by blanks, to a shell. */
  readonly joins?: true;
  /** So it does with this flag. */
  readonly joinsWith?: string;
  /** Without a command it starts a shell, or reads commands from elsewhere. */
  readonly interactive?: true;
}

export function wrapperProgram(row: WrapperRow): Program {
  const before = row.before?.split(' ') ?? [];
  return (call) => {
    const { assignments, ...given } = readLeading(call.args, row);
    if (given.options.some(({ marks }) => marks.includes('.')))
      return { readsOnly: row.passes && given.doubt === undefined };
    const words = given.operands.slice(before.length);
    const paths = [...optionPaths(call, given), ...pathsBefore(call, given.operands, before)];
    const uncertain = given.doubt ?? splitDoubt(given.operands.slice(0, before.length));
    if (uncertain !== undefined) return { ...notUnderstood(call, uncertain, words), paths };
    const piped = given.options.find(({ marks, value }) => marks.includes('>') && /^[|!]/.test(value?.prefix ?? ''));
    if (piped !== undefined)
      return { ...notUnderstood(call, `${piped.name} hands what it writes to a program`, words), paths };
    const folder = given.options.find(({ marks }) => marks.includes('/'))?.value;
    const codes = optionCode(call, given);
    const { passes } = row;
    if (words.length === 0) {
      if (codes.runs !== undefined || codes.unclear !== undefined) return { ...codes, passesThrough: passes, paths };
      return row.interactive === true
        ? { unclear: `${call.name} is given no command: it takes what it runs from elsewhere`, paths }
        : { readsOnly: passes, paths };
    }
    const joins = row.joins === true || given.options.some(({ name }) => name === row.joinsWith);
    const effect: Effect = joins ? joinedCode(call, words) : { runs: [call.run(words, folder, assignments)] };
    return {
      readsOnly: passes,
      passesThrough: passes,
      ...effect,
      runs: [...(effect.runs ?? []), ...(codes.runs ?? [])],
      paths,
    };
  };
}

/** Flags, and where `NAME=value` may stand, flags behind that too, as `sudo` takes them. */
function readLeading(
  args: readonly ShellWord[],
  row: WrapperRow,
): Arguments & { readonly assignments: readonly ShellAssignment[] } {
  const given = readArguments(args, row.flags, true);
  if (row.assigns !== true) return { ...given, assignments: [] };
  const { assignments, words } = splitAssignments(given.operands);
  if (assignments.length === 0 || words[0]?.prefix.startsWith('-') !== true)
    return { ...given, operands: words, assignments };
  const more = readLeading(words, row);
  const doubt = given.doubt ?? more.doubt;
  return {
    options: [...given.options, ...more.options],
    operands: more.operands,
    assignments: [...assignments, ...more.assignments],
    ...(doubt === undefined ? {} : { doubt }),
  };
}

/** A wrapper of which not every word is understood: what it may run is no more than a guess. */
export function notUnderstood(call: Call, doubt: string, words: readonly ShellWord[] = []): Effect {
  const run = words.length === 0 ? [] : [call.run(words)];
  return { unclear: `${call.name}: ${doubt}`, mayRun: [...run, ...call.guess(call.args)] };
}

function splitDoubt(words: readonly ShellWord[]): string | undefined {
  const word = words.find(({ splits }) => splits);
  return word === undefined ? undefined : `${word.spelled} may be several words`;
}

function pathsBefore(call: Call, operands: readonly ShellWord[], kinds: readonly string[]): readonly ShellPath[] {
  return kinds.flatMap((kind, index) => {
    const operand = operands[index];
    return operand !== undefined && (kind === 'read' || kind === 'write') ? call.open(kind, operand) : [];
  });
}

/** `NAME=value` words in front of a command. */
export function splitAssignments(operands: readonly ShellWord[]): {
  readonly assignments: readonly ShellAssignment[];
  readonly words: readonly ShellWord[];
} {
  const assignments: ShellAssignment[] = [];
  let next = 0;
  for (const { prefix, value } of operands) {
    const name = /^([^=\s]+)=/.exec(prefix)?.[1];
    if (name === undefined) break;
    assignments.push({ name, value: value?.slice(name.length + 1) });
    next++;
  }
  return { assignments, words: operands.slice(next) };
}

/** What a shell makes of words that are joined by blanks. */
export function joinedCode(call: Call, words: readonly ShellWord[]): Effect {
  const unknown = words.find(({ value }) => value === undefined);
  const code = words.map(({ value, spelled }) => value ?? spelled).join(' ');
  if (unknown === undefined) return shellCode(call, [plainWord(code)]);
  return { unclear: `the code ${code} is known only when it runs`, mayRun: mayRunOf(call, code) };
}

function mayRunOf(call: Call, code: string): readonly ShellCommand[] {
  return call.code(code).commands;
}
