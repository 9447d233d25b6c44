/** A variable that a command is given in front of it. */
export interface ShellAssignment {
  readonly name: string;
  /** Undefined where only running the line tells. */
  readonly value: string | undefined;
}

/** A file that a command opens, relative to where the line starts unless it is absolute. Undefined: only running tells. */
export interface ShellPath {
  readonly access: 'read' | 'write';
  /** As written (`..` is not folded away), behind the folder that `cd` led to. */
  readonly path: string | undefined;
  /** In place of `path`: relative to the home directory of whoever runs the line, `.ssh/id` for `~/.ssh/id`. */
  readonly fromHome?: string;
  /** Where `path` is unknown: the folder in which it lies nevertheless, `src` for `src/*.ts`, short of symbolic links. */
  readonly below?: string;
  /** All that lies below it may be opened too, as by `grep -r` and `rm -r`. */
  readonly tree?: true;
  /** A folder in which git works where the line has gone to it: what the repository there is set up to run, git runs. */
  readonly repository?: true;
  /** Named by an argument of the command, which a rule for the command sees. Absent: a redirect, which is judged by itself. */
  readonly argument?: true;
}

/** One simple command of a line, and what it has others run. */
export interface ShellCommand {
  /** As the line spells it, assignments included, one blank between words, without redirects. */
  readonly text: string;
  /**
   * Name and arguments with quoting undone. Undefined: a word that only running the line tells, which may come to none
   * or to many. No words at all: nothing but assignments and redirects, perhaps those of a loop or a group.
   */
  readonly words: readonly (string | undefined)[];
  /** `words` with quoting undone and what is unknown as it is spelled: `~/x`, `$HOME`, `*.ts`. */
  readonly spelled: readonly string[];
  readonly assignments: readonly ShellAssignment[];
  /** The commands that it starts, as far as the line tells: those behind `sudo`, `xargs`, `bash -c`, `find -exec`. */
  readonly runs: readonly ShellCommand[];
  /**
   * Commands that it might start: the arguments of a program that the tables do not know, read as a command; the values
   * that the line gives to a name from a variable. A deny or ask rule that matches one of them has the person asked.
   */
  readonly mayRun?: readonly ShellCommand[];
  /** It does nothing but run these, as they are: whoever allows them allows it. True of `timeout` and `nice`, not of `sudo`. */
  readonly passesThrough: boolean;
  /** Its flags and arguments are known to change nothing and to run nothing. */
  readonly readsOnly: boolean;
  /** So they are, but for what it redirects into files. */
  readonly onlyRedirects?: true;
  /** What it opens by redirects and, where its arguments are understood, by them. */
  readonly paths: readonly ShellPath[];
  /** Variables set for it that change what programs do, `PATH` or `LD_PRELOAD`: no rule that leaves them out covers it. */
  readonly risky?: string;
  /** Those variables only say where files with code lie. */
  readonly riskyPlaces?: true;
  /**
   * It runs code that is not judged: an interpreter's (`python -c`), a script's, a makefile's. A rule that names the
   * program grants that code; nothing else does.
   */
  readonly opaque?: string;
  /**
   * That code stands in files, or in what the program fetches: of what the line shows, rules judge all. Absent: it stands
   * in the line, or comes to the program from the line, where a rule could have seen it.
   */
  readonly fromFiles?: true;
  /** Why nobody can tell what it does: a name from a variable, `eval`, a wrapper's flag that is not known. No rule covers it. */
  readonly unclear?: string;
}

/** A shell line, taken apart into everything that it would run. */
export interface ShellLine {
  readonly text: string;
  /** In the line's order, also those of substitutions, functions, loops and here-documents. */
  readonly commands: readonly ShellCommand[];
  /** Why the line as a whole is not understood, such as a syntax error. No rule allows what it does not see. */
  readonly unclear?: string;
  /** It is of another shell, whose lines are not taken apart. */
  readonly isForeign?: true;
}
