import type { MethodParams, MethodResult, SessionInfo } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import type { EventStore, ListOptions, StoredSession } from '../event/event-store.ts';
import { formatPlace } from '../event/list-place.ts';
import { childrenOf } from '../event/tree-state.ts';
import type { SessionOwner } from './session-owner.ts';
import { sessionInfoOf, sessionInfoOfStored } from './turn-reading.ts';

type ListParams = MethodParams<'session/list'>;

const PAGE_SESSIONS = 200;

/** @throws RondoError `input.invalid` for a scope without the session that it is about, `session.not_found`. */
export async function listSessions(
  { owner, store }: { readonly owner: SessionOwner; readonly store: EventStore },
  params: ListParams,
): Promise<MethodResult<'session/list'>> {
  const { scope = 'roots', limit } = params;
  if (scope === 'roots') return await listRoots(store, params);
  const of = scope === 'children' ? (params.parent ?? params.root) : params.root;
  if (of === undefined) {
    const field = scope === 'children' ? 'parent' : 'root';
    throw new RondoError('input.invalid', `a list of scope "${scope}" is of one session's: name it as ${field}`, {
      details: { field },
    });
  }
  const listed = scope === 'children' ? await subagentsOf(owner, of) : await treeOf(owner, of);
  const fitting = listed.filter((info) => fits(info, params));
  // A tree has a bounded number of sessions, so that its list has one page.
  return { sessions: limit === undefined ? fitting : fitting.slice(0, limit) };
}

/** A session's direct subagents, the newest first. */
export async function subagentsOf(owner: SessionOwner, sessionId: string): Promise<SessionInfo[]> {
  const { tree } = await owner.read(sessionId);
  return childrenOf(tree, sessionId).map(sessionInfoOf).reverse();
}

async function treeOf(owner: SessionOwner, rootId: string): Promise<SessionInfo[]> {
  const { tree } = await owner.read(rootId);
  return [...tree.sessions.values()].map(sessionInfoOf).reverse();
}

/** Of those that a store lists, the ones that fit: a page of them may be many pages of the store's. */
async function listRoots(store: EventStore, params: ListParams): Promise<MethodResult<'session/list'>> {
  const { cwd, limit, status, archived } = params;
  const isAll = status === undefined && archived === undefined;
  const page = (before: string | undefined): ListOptions => ({
    ...(cwd === undefined ? {} : { cwd }),
    ...(before === undefined ? {} : { before }),
    ...(limit === undefined ? {} : { limit: isAll ? limit : Math.max(limit, PAGE_SESSIONS) }),
  });
  const listed: StoredSession[] = [];
  for (let before = params.before; ; ) {
    const { sessions, next } = await store.list(page(before));
    for (const session of sessions) {
      if (!fits(session, params)) continue;
      const last = listed.at(-1);
      if (last !== undefined && listed.length === limit)
        return { sessions: listed.map(sessionInfoOfStored), next: formatPlace(last) };
      listed.push(session);
    }
    const isFull = isAll || listed.length === limit;
    if (next === undefined || isFull)
      return { sessions: listed.map(sessionInfoOfStored), ...(next === undefined ? {} : { next }) };
    before = next;
  }
}

interface Listed {
  readonly status: string;
  readonly archived?: boolean | undefined;
}

function fits({ status, archived = false }: Listed, wanted: ListParams): boolean {
  if (wanted.archived !== undefined && wanted.archived !== archived) return false;
  return (
    wanted.status === undefined || status === wanted.status || (wanted.status === 'running' && status === 'blocked')
  );
}
