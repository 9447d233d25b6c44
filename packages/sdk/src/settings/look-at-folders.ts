import { statSync } from 'node:fs';

/** One look at many files, of which most are not there, since not even their folder is. */
export interface FolderLook {
  /** Whether the folder was not there at the last look and still is not. Asked of the system once a look. */
  isAbsent(folder: string): boolean;
  /** A file of the folder was not there: the next look asks for the folder first. */
  missed(folder: string): void;
}

/** Makes the looks. A folder that is there costs no look of its own. */
export function createFolderLooks(): () => FolderLook {
  const absent = new Set<string>();
  return () => {
    const seen = new Map<string, boolean>();
    const isThere = (folder: string): boolean => {
      const known = seen.get(folder);
      if (known !== undefined) return known;
      const there = isFolderThere(folder);
      seen.set(folder, there);
      return there;
    };
    return {
      isAbsent(folder) {
        if (!absent.has(folder)) return false;
        if (!isThere(folder)) return true;
        absent.delete(folder);
        return false;
      },
      missed(folder) {
        if (!seen.has(folder) && !isThere(folder)) absent.add(folder);
      },
    };
  };
}

function isFolderThere(folder: string): boolean {
  try {
    return statSync(folder, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // What cannot be looked at may hold anything.
    return true;
  }
}
