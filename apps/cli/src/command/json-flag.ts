import { readFileSync } from 'node:fs';
import { RondoError } from '@rondo/protocol/values';

export type JsonFields = Readonly<Record<string, unknown>>;

/** @throws RondoError `input.invalid` for what is no JSON object. */
export function jsonFlag(flag: string, text: string): JsonFields {
  const problem = (what: string, cause?: unknown): RondoError =>
    new RondoError('input.invalid', `${flag} takes a JSON object: ${what}`, { cause });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw problem(error instanceof Error ? error.message : String(error), error);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw problem(`this is none: ${text}`);
  return value as JsonFields;
}

/** The object that a value is: JSON, or the file that holds it. @throws RondoError `input.invalid`. */
export function jsonOrFileFlag(flag: string, value: string): JsonFields {
  return jsonFlag(flag, value.trimStart().startsWith('{') ? value : readText(flag, value));
}

/** @throws RondoError `input.invalid` for what is neither. */
export function checkJsonOrFile(flag: string, value: string): void {
  if (value.trimStart().startsWith('{')) jsonFlag(flag, value);
  else readText(flag, value);
}

function readText(flag: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const message = `${flag} is neither JSON nor a file that can be read: ${file} (${(cause as Error).message})`;
    throw new RondoError('input.invalid', message, { cause });
  }
}
