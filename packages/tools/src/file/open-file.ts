import fs from 'node:fs';
import { dirname } from 'node:path';
import { ToolError } from '@rondo/runtime';
import { type LocatedFile, movedError, reasonOf, specialFileName } from './locate-file.ts';

type Located = Pick<LocatedFile, 'path' | 'target'>;

/**
 * Opens the very file that was located: a link that was laid on the way since is not followed, and a pipe that was put
 * there does not hold the open. The descriptor is the caller's to close.
 * @throws ToolError with the reason.
 */
export function openLocated({ path, target }: Located): number {
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = fs.constants;
  return openInPlace({ path, target }, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
}

/**
 * All bytes of the very file that was located.
 * @throws ToolError with the reason, also when it is no ordinary file any more.
 */
export async function readLocated(located: Located): Promise<Buffer> {
  const descriptor = openLocated(located);
  try {
    const special = specialFileName(fs.fstatSync(descriptor));
    if (special !== undefined) throw new ToolError(`${located.path} is ${special}, no ordinary file.`);
    return await new Promise((resolve, reject) => {
      fs.readFile(descriptor, (error, bytes) => (error === null ? resolve(bytes) : reject(error)));
    });
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Linux: names a folder without a right to list it. Node does not have the constant. */
const O_PATH = 0o10000000;

/** A folder that stays the same one, whatever is laid on its path meanwhile. */
export interface HeldFolder extends Disposable {
  /** A path of its own, which a program may be started in. */
  readonly place: string;
  /** The path of a name in it. */
  at(name: string): string;
}

/**
 * Holds the folder of a located file, so that what is written and moved there stays there. Only Linux can name what is
 * below an open folder; elsewhere the path is looked at once.
 * @throws ToolError when the path leads elsewhere by now.
 */
export function holdFolder({ path, target }: Located): HeldFolder {
  return holdLocated({ path, target: dirname(target) });
}

/**
 * Holds a folder that was located itself, as `holdFolder` does.
 * @throws ToolError when the path leads elsewhere by now.
 */
export function holdLocated({ path, target }: Located): HeldFolder {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = fs.constants;
  const access = process.platform === 'linux' ? O_PATH : O_RDONLY;
  const descriptor = openInPlace({ path, target }, access | O_DIRECTORY | O_NOFOLLOW);
  const place = openPath(descriptor) === undefined ? target : `/proc/self/fd/${descriptor}`;
  return {
    place,
    at: (name) => `${place}/${name}`,
    [Symbol.dispose]: () => fs.closeSync(descriptor),
  };
}

function openInPlace({ path, target }: Located, flags: number): number {
  let descriptor: number;
  try {
    descriptor = fs.openSync(target, flags);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ELOOP' || code === 'ENOTDIR') throw movedError(path);
    throw new ToolError(`${path} could not be opened: ${reasonOf(error)}.`, { cause: error });
  }
  // Where it lies is asked of the open file itself. One that was replaced in this moment is still the one meant.
  const place = openPath(descriptor) ?? fs.realpathSync.native(target);
  if (place === target || place === `${target} (deleted)`) return descriptor;
  fs.closeSync(descriptor);
  throw movedError(path);
}

function openPath(descriptor: number): string | undefined {
  try {
    return fs.readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return undefined;
  }
}
