/** Tells where paths lead, as the file system knows it. */
export interface PathResolver {
  /** Follows links, of the nearest existing folder for what does not exist. Rejects where it cannot tell. */
  (path: string): Promise<string>;
  /**
   * The names below these folders, or at them, of a file that has several: hard links, which no path tells. Undefined where not all that lies
   * there could be looked at. Absent: nobody looks.
   */
  readonly otherNames?: (path: string, folders: readonly string[]) => Promise<readonly string[] | undefined>;
}
