import { redactText, secretValues } from './text-redactor.ts';

/** JSON text with every known secret in it replaced by `[redacted]`. */
export function redactJson(json: string, secrets: readonly string[]): string {
  return redactText(json, escapedSecrets(secrets));
}

const escaped = new WeakMap<readonly string[], readonly string[]>();

/** As they stand within JSON. A list of secrets never changes: it is made ready once, not for every event. */
function escapedSecrets(secrets: readonly string[]): readonly string[] {
  const known = escaped.get(secrets) ?? secretValues(secrets).map((secret) => JSON.stringify(secret).slice(1, -1));
  escaped.set(secrets, known);
  return known;
}
