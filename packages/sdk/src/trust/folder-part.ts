/**
 * One thing that a folder brings along and that may let happen or run something: the widening part of a settings file with
 * the scripts that it names, its git configuration. It is trusted as a whole, by its content.
 */
export interface FolderPart {
  /** Relative to the folder: `.claude/settings.json`, `.git`. */
  readonly name: string;
  /** SHA-256 of all that it is, hexadecimal. */
  readonly hash: string;
  /** What it would bring in, a line each, for people. */
  readonly brings: readonly string[];
}

/** `changed`: somebody trusted the part when it was another. */
export type PartState = 'trusted' | 'new' | 'changed';

export interface JudgedPart extends FolderPart {
  readonly state: PartState;
}
