import { nearestNames, RondoError } from '@rondo/protocol/values';
import { type Flag, type FlagTable, type FlagValues, flagSpelling, kebabCase } from './flag.ts';
import { splitList } from './split-list.ts';

export interface ParsedArguments<Table extends FlagTable> {
  readonly values: FlagValues<Table>;
  readonly positionals: readonly string[];
}

type Values = Record<string, string | true | string[]>;

/**
 * Reads arguments by a table of flags: `--flag value`, `--flag=value`, camelCase and kebab-case spellings, `-p`, `-pc`,
 * lists repeated or separated, `--` before a prompt that looks like a flag. A single value given twice is the last one.
 * @throws RondoError `input.invalid`, in words for the person who typed it.
 */
export function parseArguments<Table extends FlagTable>(argv: readonly string[], table: Table): ParsedArguments<Table> {
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
      setValue(values, flagOf(spelling, table), end === -1 ? undefined : argument.slice(end + 1), queue);
    } else {
      for (const letter of argument.slice(1)) setValue(values, flagOf(`-${letter}`, table), undefined, queue);
    }
  }
  return { values: values as FlagValues<Table>, positionals };
}

/** A dash begins a flag, but not a list item of a prompt (`- fix this`) nor a negative number. */
function isFlag(argument: string): boolean {
  return /^--?[A-Za-z?][^\s=]*(=|$)/.test(argument);
}

function flagOf(spelling: string, table: FlagTable): [name: string, flag: Flag] {
  const written = spelling.replace(/^--?/, '');
  const short = !spelling.startsWith('--');
  const found = Object.entries(table).find(([name, flag]) =>
    short ? flag.short === written : kebabCase(name) === kebabCase(written),
  );
  if (found !== undefined) return found;
  const known = Object.entries(table).map(([name, flag]) => flagSpelling(name, flag));
  const [nearest] = nearestNames(spelling, known);
  const way = nearest === undefined ? 'See rondo --help.' : `Did you mean ${nearest}?`;
  throw new RondoError('input.invalid', `Unknown flag ${spelling}. ${way}`);
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
