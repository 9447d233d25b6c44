import { RondoError } from '@rondo/protocol/values';
import { modesByReach } from './mode-bound.ts';
import { allRights, type Principal, type Right } from './principal.ts';

/** An error that says of whom something is wrong, from what is wrong. */
export type Invalid = (why: string) => Error;

/**
 * A principal as a file or untyped code gives it. @throws what `invalid` makes, naming the field after `where`: a bound
 * that cannot be read must not be read as no bound.
 */
export function readPrincipal(given: unknown, where: string, invalid: Invalid): Principal {
  if (typeof given !== 'object' || given === null) throw invalid(`${where} is not an object`);
  const { name, rights, folders, highestMode } = given as Partial<Record<keyof Principal, unknown>>;
  if (typeof name !== 'string' || name === '') throw invalid(`${where}.name is not a name`);
  const mode = modesByReach.find((known) => known === highestMode);
  if (highestMode !== undefined && mode === undefined) {
    throw invalid(`${where}.highestMode is none of ${modesByReach.join(', ')}`);
  }
  return {
    name,
    rights: readRights(rights, where, invalid),
    ...(folders === undefined ? {} : { folders: readFolders(folders, where, invalid) }),
    ...(mode === undefined ? {} : { highestMode: mode }),
  };
}

/** The principal that an option says is at the other end. @throws RondoError `input.invalid`, naming the field. */
export function givenPrincipal(given: unknown): Principal {
  return readPrincipal(given, 'principal', (why) => new RondoError('input.invalid', why));
}

function readRights(rights: unknown, where: string, invalid: Invalid): readonly Right[] {
  const known = allRights.filter((right) => Array.isArray(rights) && rights.includes(right));
  if (Array.isArray(rights) && rights.length > 0 && known.length === new Set<unknown>(rights).size) return known;
  throw invalid(`${where}.rights is not a list of ${allRights.join(', ')}`);
}

function readFolders(folders: unknown, where: string, invalid: Invalid): readonly string[] {
  if (!Array.isArray(folders)) throw invalid(`${where}.folders is not a list`);
  return folders.map((folder: unknown) => {
    if (typeof folder === 'string' && isAbsolute(folder)) return folder;
    throw invalid(`${where}.folders holds what is no absolute path`);
  });
}

/** Of this system or of another. */
function isAbsolute(path: string): boolean {
  return /^([\\/]|[a-z]:[\\/])/i.test(path);
}
