import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The file with the token of a host that was given none: made for its user alone, and kept, so that clients go on over restarts. */
export async function ensureTokenFile(home: string): Promise<string> {
  const path = join(home, 'serve.token');
  await mkdir(home, { recursive: true, mode: 0o700 });
  try {
    await writeFile(path, `${randomBytes(32).toString('base64url')}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  return path;
}
