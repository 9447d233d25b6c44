import { access, constants } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { isWithin } from './mount-plan.ts';

/**
 * Where a program of the person's own is. Relative places in PATH, and those in folders that commands may write, are passed
 * over: what lies there may be the model's.
 */
export async function findProgram(
  name: string,
  { path = '', not = [] }: { readonly path?: string | undefined; readonly not?: readonly string[] },
): Promise<string | undefined> {
  for (const folder of path.split(':')) {
    if (!isAbsolute(folder) || not.some((place) => isWithin(folder, place))) continue;
    const program = join(folder, name);
    const found = await access(program, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (found) return program;
  }
  return undefined;
}
