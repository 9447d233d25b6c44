/** How a flag takes its value: not at all, always one, one if the next argument is no flag, or any number. */
export type FlagKind = 'switch' | 'value' | 'optional' | 'list';

/** One flag as data: the parser, the checks and the help page read nothing else. */
export interface Flag {
  readonly kind: FlagKind;
  readonly group: string;
  readonly description: string;
  readonly short?: string;
  /** Accepted for programs that give it; nothing for a person. */
  readonly hidden?: true;
  /** Where the documented spelling is not the kebab-case one; every flag is understood in both. */
  readonly shown?: string;
  /** What stands for the value in the help page. */
  readonly placeholder?: string;
  readonly choices?: readonly string[];
  /** For a list: one argument may hold several items, separated by commas or spaces. */
  readonly separated?: true;
  /** For a list: whether a further bare argument still belongs to it, rather than being the prompt. */
  readonly takesMore?: (argument: string) => boolean;
}

export type FlagTable = Readonly<Record<string, Flag>>;

type ValueOf<Kind extends FlagKind> = Kind extends 'switch' ? true : Kind extends 'list' ? readonly string[] : string;

/** What was asked for, by the table's keys. A flag that takes its value or leaves it reads `''` when it was left. */
export type FlagValues<Table extends FlagTable> = { readonly [Name in keyof Table]?: ValueOf<Table[Name]['kind']> };

/** `maxTurns` → `max-turns`. */
export function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The documented spelling, with its dashes. */
export function flagSpelling(name: string, flag: Flag): string {
  return `--${flag.shown ?? kebabCase(name)}`;
}
