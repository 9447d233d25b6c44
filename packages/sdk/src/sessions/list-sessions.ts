import { resolve } from 'node:path';
import type { SDKSessionInfo, SessionInfo } from '@rondo/protocol';
import { checkCount } from './check-count.ts';
import { sdkSessionInfo } from './session-info.ts';
import { withHome, type HomeOptions } from './with-home.ts';

export interface ListSessionsOptions extends HomeOptions {
  /** Only sessions of this folder. */
  dir?: string;
  /** Most sessions to give. */
  limit?: number;
  /** Whether sessions of the same folder in other worktrees of its git repository count too: unless said, they do. */
  includeWorktrees?: boolean;
}

/**
 * Past sessions, the one with the newest event first; another title is an event too.
 * @throws RondoError `input.invalid` for a limit that is no count.
 */
export async function listSessions({
  dir,
  limit,
  includeWorktrees = true,
  ...where
}: ListSessionsOptions = {}): Promise<SDKSessionInfo[]> {
  checkCount('limit', limit);
  if (limit === 0) return [];
  const folders = dir === undefined ? [undefined] : await foldersOf(dir, includeWorktrees);
  return await withHome(where, async (client) => {
    const lists = folders.map(async (cwd) => {
      const filter = { ...(cwd === undefined ? {} : { cwd }), ...(limit === undefined ? {} : { limit }) };
      const sessions: SessionInfo[] = [];
      for await (const info of client.listSessions(filter)) sessions.push(info);
      return sessions;
    });
    const [first = [], ...others] = await Promise.all(lists);
    if (others.every((list) => list.length === 0)) return first.map(sdkSessionInfo);
    const sessions = [first, ...others].flat().sort((one, other) => (one.updatedAt < other.updatedAt ? 1 : -1));
    return sessions.slice(0, limit).map(sdkSessionInfo);
  });
}

async function foldersOf(dir: string, includeWorktrees: boolean): Promise<string[]> {
  if (!includeWorktrees) return [resolve(dir)];
  const { worktreeFolders } = await import('./worktrees.ts');
  return await worktreeFolders(dir);
}
