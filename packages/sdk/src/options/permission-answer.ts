import type { AllowAnswer, DenyAnswer, JsonObject } from '@rondo/protocol';
import { readPermissionUpdates } from '../permissions/read-permission-updates.ts';

/**
 * What a program has answered to a question. Only a clear yes is one.
 * @throws TypeError for what is no answer, saying what does not fit.
 */
export async function readPermissionAnswer(answer: unknown): Promise<AllowAnswer | DenyAnswer> {
  const fields = typeof answer === 'object' && answer !== null ? (answer as Readonly<Record<string, unknown>>) : {};
  if (fields['behavior'] === 'deny') {
    const message = fields['message'];
    return {
      type: 'deny',
      ...(typeof message === 'string' ? { message } : {}),
      ...(fields['interrupt'] === true ? { interrupt: true } : {}),
    };
  }
  if (fields['behavior'] !== 'allow')
    throw new TypeError("the answer must be { behavior: 'allow' } or { behavior: 'deny', message }");
  return {
    type: 'allow',
    scope: 'once',
    ...(fields['updatedInput'] === undefined ? {} : { updatedInput: jsonObject(fields['updatedInput']) }),
    ...(fields['updatedPermissions'] === undefined
      ? {}
      : { updatedPermissions: await readPermissionUpdates(fields['updatedPermissions']) }),
  };
}

/** What cannot be stored as JSON must not run as something else. */
function jsonObject(value: unknown): JsonObject {
  const copy: unknown = JSON.parse(JSON.stringify(value) ?? 'null');
  if (typeof copy === 'object' && copy !== null && !Array.isArray(copy)) return copy as JsonObject;
  throw new TypeError('updatedInput must be an object');
}
