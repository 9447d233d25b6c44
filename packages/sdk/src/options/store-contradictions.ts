import { invalidOption } from './invalid-option.ts';
import type { Options } from './options.ts';

/** @throws RondoError `input.invalid` for options that do not go with the program's store. */
export function refuseStoreContradictions({ sessionStore, persistSession, continue: goesOn }: Options): void {
  if (sessionStore === undefined) return;
  if (persistSession === false)
    throw invalidOption('persistSession', 'is false, but sessionStore mirrors what is stored: leave one of them out');
  if (goesOn === true && sessionStore.listSessions === undefined)
    throw invalidOption('sessionStore', 'needs listSessions, so that continue knows which session was last');
}
