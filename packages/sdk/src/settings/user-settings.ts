import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nearestNames, RondoError } from '@rondo/protocol/values';
import type { ModelSettings } from '@rondo/providers';
import { checkModelSettings } from './check-model-settings.ts';
import { isObject, refuse, text as nonEmptyText } from './check-shape.ts';
import { jsonFault } from './json-fault.ts';

/**
 * What of a person's settings this version knows. Other keys are left to the versions that do, unless one looks like a
 * slip: it would let another vendor's model run than the person has named.
 */
export interface UserSettings {
  /** The model that runs when nobody names one. */
  readonly model?: string;
  readonly models?: ModelSettings;
}

const none: UserSettings = {};

export function userSettingsFile(home: string): string {
  return join(home, 'settings.json');
}

/**
 * `settings.json` in the home; a file that is missing or empty says nothing.
 * @throws RondoError `input.invalid` naming the file with line and column, or the key, of what is wrong.
 */
export function readUserSettings(home: string): UserSettings {
  const file = userSettingsFile(home);
  const written = readText(file);
  if (written === undefined || written.trim() === '') return none;
  const settings = parse(written, file);
  if (!isObject(settings)) throw invalid(`${file}: its top level is no object.`, file);
  for (const key of Object.keys(settings)) refuseSlip(key, file);
  const { model, models } = settings;
  if (model !== undefined) nonEmptyText(model, `${file}: model`);
  return {
    ...(typeof model === 'string' ? { model } : {}),
    ...(models === undefined ? {} : { models: checkModelSettings(models, `${file}: models`) }),
  };
}

const known: readonly string[] = ['model', 'models'];
const ofModels: readonly string[] = ['aliases', 'defaultProvider', 'servers', 'facts'];

function refuseSlip(key: string, file: string): void {
  const where = `${file}: ${key}`;
  if (ofModels.includes(key)) refuse(where, 'stands under models');
  const [nearest] = known.includes(key) ? [] : nearestNames(key, known, 1);
  if (nearest !== undefined) refuse(where, `is no key that this version knows; did you mean ${nearest}?`);
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw invalid(`${file} cannot be read: ${(error as Error).message}`, file, error);
  }
}

function parse(written: string, file: string): unknown {
  try {
    return JSON.parse(written);
  } catch (cause) {
    const { place, expected } = jsonFault(written);
    throw invalid(`${file}:${place} is no JSON: expected ${expected} here.`, file, cause);
  }
}

function invalid(message: string, file: string, cause?: unknown): RondoError {
  return new RondoError('input.invalid', message, { details: { file }, ...(cause === undefined ? {} : { cause }) });
}
