import type { AnyEvent, PermissionUpdate, SessionInfo } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import type { Binding, EventBatch, Runtime } from '@rondo/runtime';
import { isInFolder } from './is-in-folder.ts';
import { isWithin, requireBoundUpdates, requireMode } from './mode-bound.ts';
import type { Principal } from './principal.ts';
import type { ServedRuntime } from './served-runtime.ts';
import { usableBinding } from './usable-binding.ts';

/** Pages that one `session/list` may look through for sessions that its caller sees. */
const MOST_PAGES = 50;
const PAGE_SESSIONS = 100;

/** The runtime as a principal sees it: bounded by its folders and its highest mode. Rights are judged by method, not here. */
export function guardRuntime(runtime: Runtime, principal: Principal): ServedRuntime {
  const { folders, highestMode } = principal;
  if (folders === undefined && highestMode === undefined) return runtime;

  const isVisible = ({ cwd }: { readonly cwd: string }): boolean => folders === undefined || isInFolder(cwd, folders);

  /** The session as its caller may know it. @throws RondoError `session.not_found` for one elsewhere. */
  async function visible(sessionId: string): Promise<SessionInfo | undefined> {
    if (folders === undefined) return undefined;
    const info = await runtime.readSession({ sessionId });
    if (isVisible(info)) return info;
    throw sessionNotFound(sessionId);
  }

  /**
   * Work in a session goes as far as the mode that somebody has put it in.
   * @throws RondoError `access.denied` where that is farther than the principal may go.
   */
  async function requireSessionMode(sessionId: string): Promise<void> {
    if (highestMode === undefined) return;
    const { permissionMode } = await runtime.readSession({ sessionId });
    if (permissionMode !== undefined) requireMode(permissionMode, highestMode);
  }

  async function isSeen(sessionId: string): Promise<boolean> {
    return folders === undefined || isVisible(await runtime.readSession({ sessionId }));
  }

  const requireBinding = (bindingId: string): void => {
    usableBinding(runtime, principal, bindingId);
  };

  /** Whether the principal may start sessions with it. */
  function isUsable({ cwd, policy }: Binding): boolean {
    return isVisible({ cwd }) && (highestMode === undefined || isWithin(policy.mode, highestMode));
  }

  function requireUpdates(updates: readonly PermissionUpdate[] = []): void {
    if (highestMode !== undefined) requireBoundUpdates(updates, highestMode);
    if (folders === undefined) return;
    for (const update of updates) {
      if (update.type !== 'addDirectories') continue;
      const outside = update.directories.find((directory) => !isInFolder(directory, folders));
      if (outside === undefined) continue;
      throw new RondoError('access.denied', `"${principal.name}" may not open the folder ${outside}`, {
        details: { directory: outside },
      });
    }
  }

  /** Of a session, for whoever sees it. */
  const seen =
    <Params extends { readonly sessionId: string }, Result>(method: (params: Params) => Promise<Result>) =>
    async (params: Params): Promise<Result> => {
      await visible(params.sessionId);
      return await method(params);
    };

  /** Of a session, for whoever sees it and may use the binding. */
  const bound = <Params extends { readonly sessionId: string; readonly bindingId: string }, Result>(
    method: (params: Params) => Promise<Result>,
  ) =>
    seen(async (params: Params): Promise<Result> => {
      requireBinding(params.bindingId);
      await requireSessionMode(params.sessionId);
      return await method(params);
    });

  /** Of a session, for whoever sees it and may go as far as it does. */
  const driven = <Params extends { readonly sessionId: string }, Result>(method: (params: Params) => Promise<Result>) =>
    seen(async (params: Params): Promise<Result> => {
      await requireSessionMode(params.sessionId);
      return await method(params);
    });

  async function* subscribe(
    ...[sessionId, options]: Parameters<Runtime['subscribe']>
  ): AsyncGenerator<EventBatch, void, void> {
    await visible(sessionId);
    for await (const batch of runtime.subscribe(sessionId, options)) {
      if (folders !== undefined && batch.some((event) => isElsewhere(event, isVisible))) await visible(sessionId);
      yield batch;
    }
  }

  return {
    async createSession(params) {
      requireBinding(params.bindingId);
      const created = await runtime.createSession(params);
      // A key gives the session that it was used for before, wherever that was.
      const isHere = params.idempotencyKey === undefined || (await isSeen(created.sessionId));
      if (!isHere) throw keyInUse(params.idempotencyKey);
      return created;
    },
    openSession: bound(runtime.openSession),
    forkSession: seen(async (params) => {
      if (params.bindingId !== undefined) requireBinding(params.bindingId);
      return await runtime.forkSession(params);
    }),
    readSession: async ({ sessionId }) => (await visible(sessionId)) ?? (await runtime.readSession({ sessionId })),
    async listSessions(params) {
      if (folders === undefined) return await runtime.listSessions(params);
      const limit = params.limit ?? PAGE_SESSIONS;
      const sessions: SessionInfo[] = [];
      let { before } = params;
      for (let page = 0; page < MOST_PAGES; page += 1) {
        const place = before === undefined ? {} : { before };
        // No more than there is room for: the page's `next` then stands behind everything that was looked at.
        const found = await runtime.listSessions({ ...params, ...place, limit: limit - sessions.length });
        sessions.push(...found.sessions.filter(isVisible));
        before = found.next;
        if (before === undefined || sessions.length >= limit) break;
      }
      return { sessions, ...(before === undefined ? {} : { next: before }) };
    },
    updateSession: seen(async (params) => {
      if (params.permissionMode !== undefined && highestMode !== undefined) {
        requireMode(params.permissionMode, highestMode);
      }
      requireUpdates(params.permissions);
      return await runtime.updateSession(params);
    }),
    configureSession: bound(runtime.configureSession),
    listSubagents: seen(async (params) => {
      const { sessions } = await runtime.listSubagents(params);
      return { sessions: sessions.filter(isVisible) };
    }),
    cancelSession: seen(runtime.cancelSession),
    closeSession: seen(runtime.closeSession),
    async deleteSession(sessionId) {
      await visible(sessionId);
      await runtime.deleteSession(sessionId);
    },
    startTurn: bound(runtime.startTurn),
    sendMessage: bound(runtime.sendMessage),
    listMessages: seen(runtime.listMessages),
    cancelMessage: seen(runtime.cancelMessage),
    steerTurn: driven(runtime.steerTurn),
    listTurns: seen(runtime.listTurns),
    readTurn: seen(runtime.readTurn),
    listHistory: seen(runtime.listHistory),
    interruptTurn: seen(runtime.interruptTurn),
    async answerCallback(params, options) {
      await visible(params.sessionId);
      if (params.answer.type === 'allow') {
        requireUpdates(params.answer.updatedPermissions);
        await requireSessionMode(params.sessionId);
      }
      return await runtime.answerCallback(params, options);
    },
    readEvents: seen(runtime.readEvents),
    subscribe,
    readBlob: seen(runtime.readBlob),
    readCatalog: (params) => runtime.readCatalog(params, { isVisible: isUsable }),
    unbuilt: {
      'task/list': seen(runtime.unbuilt['task/list']),
      'task/output': seen(runtime.unbuilt['task/output']),
      'task/stop': seen(runtime.unbuilt['task/stop']),
      'files/rewind': seen(runtime.unbuilt['files/rewind']),
      'session/compact': seen(runtime.unbuilt['session/compact']),
      'mcp/status': seen(runtime.unbuilt['mcp/status']),
      'mcp/reconnect': seen(runtime.unbuilt['mcp/reconnect']),
      'mcp/toggle': seen(runtime.unbuilt['mcp/toggle']),
      'mcp/set': seen(runtime.unbuilt['mcp/set']),
    },
  };
}

/** A session's turns may be in other folders: it is looked at again, since the last one decides who sees it. */
function isElsewhere(event: EventBatch[number], isVisible: (binding: { readonly cwd: string }) => boolean): boolean {
  return event.type === 'turn.started' && !isVisible((event as Extract<AnyEvent, { type: 'turn.started' }>).binding);
}

/** Says nothing of the session. */
function keyInUse(idempotencyKey: string | undefined): RondoError {
  return new RondoError('session.idempotency_conflict', `the key "${idempotencyKey}" was used for another session`, {
    details: idempotencyKey === undefined ? {} : { idempotencyKey },
  });
}

function sessionNotFound(sessionId: string): RondoError {
  return new RondoError('session.not_found', `there is no session ${sessionId}`, { details: { sessionId } });
}
