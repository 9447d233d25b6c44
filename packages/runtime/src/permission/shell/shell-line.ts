/** A variable that a command is given in front of it. */
export interface ShellAssignment {
  readonly name: string;
  /** Undefined where only running the line tells. */
  readonly value: string | undefined;
}

/** A file that a command opens, relative to where the line starts unless it is absolute. Undefined: only running tells. */
export interface ShellPath {
  readonly access: 'read' | 'write';
  readonly path: string | undefined;
}

/** One simple command of a line, and what it has others run. */
export interface ShellCommand {
  /** As the line spells it, without redirects. */
  readonly text: string;
  /** Name and arguments with quoting undone. Undefined: a word that only running the line tells. */
  readonly words: readonly (string | undefined)[];
  readonly assignments: readonly ShellAssignment[];
  /** The commands that it starts, as far as the line tells: those behind `sudo`, `xargs`, `bash -c`, `find -exec`. */
  readonly runs: readonly ShellCommand[];
  /** It does nothing but run these, as they are: whoever allows them allows it. True of `timeout` and `nice`, not of `sudo`. */
  readonly passesThrough: boolean;
  /** Its flags and arguments are known to change nothing and to run nothing. */
  readonly readsOnly: boolean;
  /** What it opens by redirects and, where its arguments are understood, by them. */
  readonly paths: readonly ShellPath[];
  /** Why nobody can tell what it does: a name from a variable, `eval`, a script, a wrapper that is not known. */
  readonly unclear?: string;
}

/** A shell line, taken apart into everything that it would run. */
export interface ShellLine {
  readonly text: string;
  /** In the line's order, also those of substitutions, functions, loops and here-documents. */
  readonly commands: readonly ShellCommand[];
  /** Why the line as a whole is not understood, such as a syntax error. No rule allows what it does not see. */
  readonly unclear?: string;
}
