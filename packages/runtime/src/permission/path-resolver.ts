/** Tells where paths lead, as the file system knows it. */
export interface PathResolver {
  /** Follows links, of the nearest existing folder for what does not exist. Rejects where it cannot tell. */
  (path: string): Promise<string>;
  /**
   * The names below these folders, or at them, of a file that has several: hard links, which no path tells. Undefined where not all that lies
   * there could be looked at. Absent: nobody looks.
   */
  readonly otherNames?: (path: string, folders: readonly string[]) => Promise<readonly string[] | undefined>;
  /** The files below these folders, or at them, that have several names, by what tells that two names are one file's. Undefined as above. */
  readonly sharedFiles?: (folders: readonly string[]) => Promise<ReadonlyMap<string, readonly string[]> | undefined>;
  /** What tells that two names are one file's, at once; undefined of a file that has one name. */
  readonly identityOf?: (path: string) => string | undefined;
}
