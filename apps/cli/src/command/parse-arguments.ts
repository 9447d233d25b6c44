import { nearestNames, RondoError } from '@rondo/protocol/values';
import { type Flag, type FlagTable, type FlagValues, flagSpelling, kebabCase } from './flag.ts';
import { splitList } from './split-list.ts';

export interface ParsedArguments<Table extends FlagTable> {
  readonly values: FlagValues<Table>;
  readonly positionals: readonly string[];
}

type Values = Record<string, string | true | string[]>;

export interface ParseOptions {
  /** Told of a flag that the table has not, which is then left out, with a value behind it. Without this it is an error. */
  readonly onUnknown?: (problem: string) => void;
}

/**
 * Reads arguments by a table of flags: `--flag value`, `--flag=value`, camelCase and kebab-case spellings, `-p`, `-pc`,
 * lists repeated or separated, `--` before a prompt that looks like a flag. A single value given twice is the last one.
 * @throws RondoError `input.invalid`, in words for the person who typed it.
 */
export function parseArguments<Table extends FlagTable>(
  argv: readonly string[],
  table: Table,
  { onUnknown }: ParseOptions = {},
): ParsedArguments<Table> {
  const values: Values = {};
  const positionals: string[] = [];
  const queue = [...argv];
  for (let argument = queue.shift(); argument !== undefined; argument = queue.shift()) {
    if (argument === '--') {
      positionals.push(...queue.splice(0));
    } else if (!isFlag(argument)) {
      positionals.push(argument);
    } else if (argument.startsWith('--')) {
      const end = argument.indexOf('=');
      const spelling = end === -1 ? argument : argument.slice(0, end);
      const found = findFlag(spelling, table);
      if (found !== undefined) setValue(values, found, end === -1 ? undefined : argument.slice(end + 1), queue);
      else leaveOut(spelling, end === -1);
    } else {
      for (const letter of argument.slice(1)) {
        const found = findFlag(`-${letter}`, table);
        if (found === undefined) leaveOut(`-${letter}`, false);
        else setValue(values, found, undefined, queue);
      }
    }
  }
  return { values: values as FlagValues<Table>, positionals };

  function leaveOut(spelling: string, mayHaveValue: boolean): void {
    const problem = unknownFlag(spelling, table);
    if (onUnknown === undefined) throw new RondoError('input.invalid', problem);
    onUnknown(problem);
    const [next] = queue;
    // Nobody knows whether the flag takes a value; a bare word behind it is no prompt where prompts come otherwise.
    if (mayHaveValue && next !== undefined && !isFlag(next)) queue.shift();
  }
}

/** A dash begins a flag, but not a list item of a prompt (`- fix this`) nor a negative number. */
function isFlag(argument: string): boolean {
  return /^--?[A-Za-z?][^\s=]*(=|$)/.test(argument);
}

function findFlag(spelling: string, table: FlagTable): [name: string, flag: Flag] | undefined {
  const written = spelling.replace(/^--?/, '');
  const short = !spelling.startsWith('--');
  return Object.entries(table).find(([name, flag]) =>
    short ? flag.short === written : kebabCase(name) === kebabCase(written),
  );
}

function unknownFlag(spelling: string, table: FlagTable): string {
  const known = Object.entries(table).map(([name, flag]) => flagSpelling(name, flag));
  const [nearest] = nearestNames(spelling, known);
  const way = nearest === undefined ? 'See rondo --help.' : `Did you mean ${nearest}?`;
  return `Unknown flag ${spelling}. ${way}`;
}

function setValue(values: Values, [name, flag]: [string, Flag], attached: string | undefined, queue: string[]): void {
  const next = (wanted: (argument: string) => boolean = () => true): string | undefined => {
    const [argument] = queue;
    if (argument === undefined || argument === '--' || isFlag(argument) || !wanted(argument)) return undefined;
    return queue.shift();
  };
  const spelling = flagSpelling(name, flag);
  if (flag.kind === 'switch') {
    if (attached !== undefined) throw new RondoError('input.invalid', `${spelling} takes no value, not "${attached}".`);
    values[name] = true;
    return;
  }
  const value = attached ?? next();
  if (flag.kind === 'optional') {
    values[name] = value ?? '';
    return;
  }
  if (value === undefined) {
    throw new RondoError('input.invalid', `${spelling} needs a value: ${spelling} ${flag.placeholder ?? 'VALUE'}`);
  }
  if (flag.kind === 'value') {
    values[name] = value;
    return;
  }
  const items = [value];
  const takesMore = attached === undefined ? flag.takesMore : undefined;
  while (takesMore !== undefined) {
    const more = next(takesMore);
    if (more === undefined) break;
    items.push(more);
  }
  const earlier = values[name];
  values[name] = [...(Array.isArray(earlier) ? earlier : []), ...(flag.separated ? items.flatMap(splitList) : items)];
}
