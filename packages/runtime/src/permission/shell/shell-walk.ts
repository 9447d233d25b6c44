import type { Folders } from './open-paths.ts';
import type { ShellCommand } from './shell-line.ts';

/** What a walk through a script comes by. */
export interface Walk {
  readonly commands: ShellCommand[];
  /** Why a part of the script is not understood. */
  unclear?: string;
}

/** Where the shell may be once a part has run, by how it ended. */
export interface Ends {
  readonly done: Folders;
  readonly failed: Folders;
}

export function endingAt(folders: Folders): Ends {
  return { done: folders, failed: folders };
}
