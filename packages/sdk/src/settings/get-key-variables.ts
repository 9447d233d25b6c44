import { resolve } from 'node:path';
import { resolveHome } from '@rondo/runtime/node';
import { configuredKeyVariables } from '../options/load-model.ts';
import type { HomeOptions } from '../sessions/with-home.ts';
import { readUserSettings } from './user-settings.ts';

/**
 * The environment variables that the person's settings name for keys of servers, whatever they are called; for whoever
 * keeps keys out of what it writes.
 * @throws RondoError `input.invalid` naming the place of what is wrong in the settings.
 */
export function getKeyVariables({ home }: HomeOptions = {}): readonly string[] {
  return configuredKeyVariables(readUserSettings(home === undefined ? resolveHome() : resolve(home)).models);
}
