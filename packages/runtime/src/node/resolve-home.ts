import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** The folder where Rondo keeps sessions and settings: `RONDO_HOME`, else `.rondo` in the user's home folder. */
export function resolveHome(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const named = env['RONDO_HOME'];
  if (named !== undefined && named !== '') return resolve(named);
  return join(env['HOME'] !== undefined && env['HOME'] !== '' ? env['HOME'] : homedir(), '.rondo');
}
