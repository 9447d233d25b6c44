import { closeSync, constants, openSync, readlinkSync } from 'node:fs';

/** Opens a place as such, for which nobody has to be allowed to read it. Node does not name it. */
const placeOnly = 0o10000000;

/**
 * Opens places by their real paths, so that what is mounted is what was looked at, whoever renames or links something there
 * meanwhile. Undefined where one of them is no longer what its path leads to.
 */
export function openPlaces(paths: readonly string[]): number[] | undefined {
  const opened: number[] = [];
  for (const path of paths) {
    try {
      const descriptor = openSync(path, placeOnly | constants.O_NOFOLLOW);
      opened.push(descriptor);
      if (readlinkSync(`/proc/self/fd/${descriptor}`) === path) continue;
    } catch {
      // It is gone.
    }
    closePlaces(opened);
    return undefined;
  }
  return opened;
}

export function closePlaces(descriptors: readonly number[]): void {
  for (const descriptor of descriptors) closeSync(descriptor);
}

/** The path of something in an open folder, wherever that is now. */
export function inPlace(descriptor: number, name: string): string {
  return `/proc/self/fd/${descriptor}/${name}`;
}
