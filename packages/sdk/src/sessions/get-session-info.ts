import { resolve } from 'node:path';
import type { Client } from '@rondo/client';
import type { SDKSessionInfo, SessionInfo } from '@rondo/protocol';
import { isRondoError } from '@rondo/protocol/values';
import { sdkSessionInfo } from './session-info.ts';
import { withHome, type HomeOptions } from './with-home.ts';

export interface GetSessionInfoOptions extends HomeOptions {
  /**
   * The session's folder, or the same folder in another worktree of its git repository, as `listSessions` lists them; one of
   * another folder is not found.
   */
  dir?: string;
}

/** One session, or undefined when there is none of that ID. Reads no list. */
export async function getSessionInfo(
  sessionId: string,
  { dir, ...where }: GetSessionInfoOptions = {},
): Promise<SDKSessionInfo | undefined> {
  const info = await withHome(where, (client) => readSession(client, sessionId, dir));
  return info === undefined ? undefined : sdkSessionInfo(info);
}

async function isOf({ cwd }: SessionInfo, dir: string): Promise<boolean> {
  if (cwd === resolve(dir)) return true;
  const { worktreeFolders } = await import('./worktrees.ts');
  return (await worktreeFolders(dir)).includes(cwd);
}

export async function readSession(
  client: Client,
  sessionId: string,
  dir: string | undefined,
): Promise<SessionInfo | undefined> {
  try {
    const info = await client.session(sessionId).read();
    return dir === undefined || (await isOf(info, dir)) ? info : undefined;
  } catch (error) {
    if (isRondoError(error, 'session.not_found')) return undefined;
    throw error;
  }
}
