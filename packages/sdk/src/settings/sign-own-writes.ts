import { realpathSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { layerPart } from '../trust/judge-folder.ts';
import { signAgain } from '../trust/trust-folder.ts';
import { readFilePlace } from './read-place.ts';
import type { SavePermissionsOptions } from './save-permissions.ts';

/** Keeps what was trusted of a folder trusted while Rondo itself writes to one of its files; what was not, is not by that. */
export function signingOwnWrites({
  cwd,
  home,
}: SavePermissionsOptions): NonNullable<SavePermissionsOptions['signing']> {
  async function partOf(file: string) {
    const source = basename(file) === 'settings.local.json' ? 'local' : 'project';
    const { layer } = await readFilePlace(file, { source, name: file, path: file, folder: 'rondo', root: cwd });
    return layer === undefined ? undefined : layerPart(layer, cwd);
  }
  return async (file) => {
    const isOfFolder = dirname(dirname(file)) === cwd && dirname(file) !== home;
    const before = isOfFolder ? await partOf(file) : undefined;
    return async () => {
      const after = isOfFolder ? await partOf(file) : undefined;
      if (after === undefined) return;
      signAgain({ folder: realpathSync(cwd), name: after.name, before: before?.hash, hash: after.hash }, home);
    };
  };
}
