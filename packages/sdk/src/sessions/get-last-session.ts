import { resolve } from 'node:path';
import type { SDKSessionInfo } from '@rondo/protocol';
import { lastSession } from './last-session.ts';
import { sdkSessionInfo } from './session-info.ts';
import { withHome, type HomeOptions } from './with-home.ts';

export interface GetLastSessionOptions extends HomeOptions {
  /** The folder whose sessions count. */
  dir: string;
}

/** The session that `continue` goes on with. Undefined for a folder without one. */
export async function getLastSession({ dir, ...where }: GetLastSessionOptions): Promise<SDKSessionInfo | undefined> {
  return await withHome(where, async (client) => {
    const last = await lastSession(client, { cwd: resolve(dir) });
    return last === undefined ? undefined : sdkSessionInfo(last);
  });
}
