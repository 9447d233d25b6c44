import type { CodeEffect } from './command-effect.ts';
import type { Folders } from './open-paths.ts';

/** What one shell, the line's or one that it starts, is told of names. */
export interface LineFacts {
  /** Functions that some part of the line defines, whether that part runs or not. */
  readonly functions: ReadonlySet<string>;
  /** Those that are certainly defined where the walk is now. */
  readonly defined: Set<string>;
  /** Values that the line gives to variables. An undefined one: only running tells. */
  readonly values: ReadonlyMap<string, readonly (string | undefined)[]>;
  /** Definitions may be taken back or replaced: none is certain. */
  readonly unsettled: boolean;
  /** Some part of the line goes to another folder. */
  readonly moves: boolean;
}

/** How much of a line is read at most. It is spent by all of its parts. */
export interface Budget {
  commands: number;
  /** Why the reading ended early. */
  spent?: string;
}

/** Where in the line the walk is. */
export interface Scope {
  readonly facts: LineFacts;
  readonly budget: Budget;
  readonly folders: Folders;
  /** How many shells and wrappers are around it. */
  readonly depth: number;
  /** It is the shell itself that runs this, so that functions count. */
  readonly direct: boolean;
  /** It is a guess: no further guesses are made of it. */
  readonly guess: boolean;
  /** What the command in front of it in the pipe seems to print, where the line tells. */
  readonly piped?: string | undefined;
  /** Takes code apart that a shell of its own runs. */
  readonly code: (text: string, scope: Scope) => CodeEffect;
}

export const mostCommands = 2000;
export const mostDepth = 24;

/** Takes one command from the budget. False: none is left. */
export function spend(budget: Budget): boolean {
  if (budget.spent !== undefined) return false;
  budget.commands--;
  if (budget.commands >= 0) return true;
  budget.spent = `it runs more than ${mostCommands} commands`;
  return false;
}
