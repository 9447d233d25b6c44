import type { AllowAnswer, DenyAnswer, JsonObject, PermissionUpdate } from '@rondo/protocol';

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
      : { updatedPermissions: await updates(fields['updatedPermissions']) }),
  };
}

/** What cannot be stored as JSON must not run as something else. */
function jsonObject(value: unknown): JsonObject {
  const copy: unknown = JSON.parse(JSON.stringify(value) ?? 'null');
  if (typeof copy === 'object' && copy !== null && !Array.isArray(copy)) return copy as JsonObject;
  throw new TypeError('updatedInput must be an object');
}

/** What is stored in the log changes every later decision: nothing goes there that is no update. */
async function updates(value: unknown): Promise<PermissionUpdate[]> {
  if (!Array.isArray(value)) throw new TypeError('updatedPermissions must be a list');
  if (value.length === 0) return [];
  const { PermissionUpdate } = await import('@rondo/protocol');
  return value.map((each, index) => {
    const read = PermissionUpdate.safeParse(each);
    if (read.success) return read.data;
    const [issue] = read.error.issues;
    const where = ['updatedPermissions', index, ...(issue?.path ?? [])].join('.');
    throw new TypeError(`${where} is no permission update (${issue?.message})`);
  });
}
