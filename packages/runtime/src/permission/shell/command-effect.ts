import type { FlagGrammar } from './read-arguments.ts';
import type { ShellAssignment, ShellCommand, ShellPath } from './shell-line.ts';
import type { ShellWord } from './shell-word.ts';

/** What a program does with its arguments, as far as it is known. What is left out is not so. */
export interface Effect {
  readonly runs?: readonly ShellCommand[];
  readonly mayRun?: readonly ShellCommand[];
  readonly passesThrough?: boolean;
  /** Apart from what it runs. */
  readonly readsOnly?: boolean;
  readonly paths?: readonly ShellPath[];
  readonly assignments?: readonly ShellAssignment[];
  readonly risky?: string;
  readonly opaque?: string;
  readonly fromFiles?: true;
  readonly unclear?: string;
}

/** Code in the shell's language, taken apart. */
export interface CodeEffect {
  readonly commands: readonly ShellCommand[];
  readonly unclear?: string;
  /** It defines functions or aliases or changes the folder: what follows may mean something else. */
  readonly changesShell: boolean;
}

/** One command whose program is known, and the means to go on with what it runs. */
export interface Call {
  /** Without its folder. */
  readonly name: string;
  readonly args: readonly ShellWord[];
  /** What a here-document or here-string gives it to read. Undefined: something else. */
  readonly input: ShellWord | undefined;
  /** What the command in front of it in the pipe seems to print. */
  readonly piped: string | undefined;
  /** A command that it runs. `folder`: the one in which it runs it, where another. */
  readonly run: (
    words: readonly ShellWord[],
    folder?: ShellWord,
    assignments?: readonly ShellAssignment[],
  ) => ShellCommand;
  readonly code: (text: string) => CodeEffect;
  /** Why this text, evaluated as arithmetic, may run code; undefined where it does not. */
  readonly expression: (text: string) => string | undefined;
  readonly open: (access: ShellPath['access'], word: ShellWord, tree?: boolean) => readonly ShellPath[];
  /** What these words may be, were they a command: for whoever is not known to run them. */
  readonly guess: (words: readonly ShellWord[]) => readonly ShellCommand[];
}

export type Program = (call: Call) => Effect;

/** A program that is judged by a row of a table. */
export interface ProgramRow {
  /** Names with one meaning, a blank between them. */
  readonly names: string;
  readonly flags: FlagGrammar;
  /**
   * What its operands are, in their order, the last one repeated: `read`, `write`, `tree` (read with all below),
   * `prune` (written with all below), `word` (no file).
   */
  readonly operands: string;
  /** Without operands that are files it takes the folder where it is. */
  readonly here?: true;
  /** What an operand looks like where the program only reads. */
  readonly form?: RegExp;
}
