import type { Call, Effect, Program, ProgramRow } from './command-effect.ts';
import { type Arguments, readArguments } from './read-arguments.ts';
import type { ShellCommand, ShellPath } from './shell-line.ts';
import { plainWord, type ShellWord } from './shell-word.ts';

const here = plainWord('.');

/** What a program does by its row. @param reads it changes nothing as long as its flags are understood */
export function rowProgram(row: ProgramRow, reads: boolean): Program {
  const kinds = row.operands.split(' ');
  return (call) => {
    const given = readArguments(call.args, row.flags);
    const { form } = row;
    const fits = form === undefined || given.operands.every(({ value }) => value !== undefined && form.test(value));
    return {
      ...optionCode(call, given),
      readsOnly: reads && fits && given.doubt === undefined,
      paths: [...optionPaths(call, given), ...operandPaths(call, given, { kinds, here: row.here === true })],
    };
  };
}

/** The files that flags name. */
export function optionPaths(call: Call, { options }: Arguments): readonly ShellPath[] {
  return options.flatMap(({ marks, value }) => {
    if (value === undefined) return [];
    if (marks.includes('<')) return call.open('read', value);
    return marks.includes('>') ? call.open('write', value, marks.includes('+')) : [];
  });
}

/** The code that flags give to a shell, and the programs that flags name. */
export function optionCode(call: Call, { options }: Arguments): Effect {
  const named = options.find(({ marks }) => marks.includes('&'));
  if (named !== undefined) {
    const mayRun = named.value === undefined ? [] : call.code(named.value.value ?? named.value.spelled).commands;
    return { unclear: `the flag ${named.name} has ${call.name} run a program`, mayRun };
  }
  const codes = options.flatMap(({ marks, value }) => (marks.includes('$') && value !== undefined ? [value] : []));
  return codes.length === 0 ? {} : shellCode(call, codes);
}

/** What pieces of code run, of which one that is not known is not understood. */
export function shellCode(call: Call, codes: readonly ShellWord[]): Effect {
  const runs: ShellCommand[] = [];
  let unclear: string | undefined;
  for (const { value, spelled } of codes) {
    const { commands, unclear: problem } = call.code(value ?? spelled);
    runs.push(...commands);
    if (value === undefined) unclear ??= `the code ${spelled} is known only when it runs`;
    else if (problem !== undefined) unclear ??= `the code that it runs: ${problem}`;
  }
  return unclear === undefined ? { runs } : { mayRun: runs, unclear };
}

function operandPaths(
  call: Call,
  { operands, options }: Arguments,
  { kinds, here: takesFolder }: { readonly kinds: readonly string[]; readonly here: boolean },
): readonly ShellPath[] {
  const standsIn = kinds.length > 1 && options.some(({ marks }) => marks.includes('@'));
  const expected = standsIn ? kinds.slice(1) : kinds;
  const deep = options.some(({ marks }) => marks.includes('+'));
  const paths = operands.flatMap((operand, index) =>
    openAs(call, expected[index] ?? expected.at(-1), { operand, deep }),
  );
  const files = operands.length - expected.filter((kind) => kind === 'word').length;
  if (files > 0 || !(takesFolder || (deep && expected.at(-1) !== 'word'))) return paths;
  return [...paths, ...openAs(call, expected.at(-1), { operand: here, deep })];
}

function openAs(
  call: Call,
  kind: string | undefined,
  { operand, deep }: { readonly operand: ShellWord; readonly deep: boolean },
): readonly ShellPath[] {
  switch (kind) {
    case 'read':
      return call.open('read', operand, deep);
    case 'tree':
      return call.open('read', operand, true);
    case 'write':
      return call.open('write', operand, deep);
    case 'prune':
      return call.open('write', operand, true);
    default:
      return [];
  }
}
