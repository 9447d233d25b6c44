import type { PermissionUpdate } from '@rondo/protocol';

/**
 * What is stored in the log changes every later decision: nothing goes there that is no update.
 * @throws TypeError that names the place.
 */
export async function readPermissionUpdates(value: unknown): Promise<PermissionUpdate[]> {
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
