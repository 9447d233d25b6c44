import { mayBeThere } from './regular-file.ts';

/** One look at many files, of which most are not there, since not even their folder is. */
export interface FolderLook {
  /**
   * Whether the folder is not there. Asked of the system once a look, and only at the first look and while the folder was
   * not there before.
   */
  isAbsent(folder: string): boolean;
  /** A file of the folder was not there: where the folder is not either, the next look asks for that first. */
  missed(folder: string): void;
}

/** Makes the looks. A folder that is there costs no look of its own. */
export function createFolderLooks(): () => FolderLook {
  const present = new Set<string>();
  /** There, although files in it are not: nothing is won by asking for them again. */
  const sparse = new Set<string>();
  return () => {
    const seen = new Map<string, boolean>();
    const isThere = (folder: string): boolean => {
      const known = seen.get(folder);
      if (known !== undefined) return known;
      const there = mayBeThere(folder);
      seen.set(folder, there);
      return there;
    };
    return {
      isAbsent(folder) {
        if (present.has(folder)) return false;
        if (!isThere(folder)) return true;
        present.add(folder);
        return false;
      },
      missed(folder) {
        if (sparse.has(folder)) return;
        if (isThere(folder)) sparse.add(folder);
        else present.delete(folder);
      },
    };
  };
}
