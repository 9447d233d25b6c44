import { resolve } from 'node:path';
import type { SDKSessionInfo } from '@rondo/protocol';
import { sdkSessionInfo } from './session-info.ts';
import { withHome, type HomeOptions } from './with-home.ts';

export interface ListSessionsOptions extends HomeOptions {
  /** Only sessions of this folder. */
  dir?: string;
  limit?: number;
}

/** Past sessions, the one that was last at work first. */
export async function listSessions({ dir, limit, ...where }: ListSessionsOptions = {}): Promise<SDKSessionInfo[]> {
  return await withHome(where, async (client) => {
    const filter = { ...(dir === undefined ? {} : { cwd: resolve(dir) }), ...(limit === undefined ? {} : { limit }) };
    const sessions: SDKSessionInfo[] = [];
    if (limit === 0) return sessions;
    for await (const info of client.listSessions(filter)) sessions.push(sdkSessionInfo(info));
    return sessions;
  });
}
