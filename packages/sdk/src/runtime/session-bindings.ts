import { RondoError } from '@rondo/protocol/values';
import type { Runtime } from '@rondo/runtime';
import { rootIdOf } from '@rondo/runtime/node';

const prefix = 'session:';

/**
 * Names what a session is at work with in the process that owns it. Bindings cannot cross a channel: whoever comes from
 * elsewhere starts turns with the owner's.
 */
export function sessionBindingId(sessionId: string): string {
  return `${prefix}${sessionId}`;
}

export interface OwnersRuntime extends Runtime {
  /** Whether the session, or the one it works for, is at work here or is being opened. */
  isOpen(sessionId: string): boolean;
}

/** A runtime that knows by `session:ID` the binding that the session was last opened, or worked, with here. */
export function withSessionBindings(runtime: Runtime): OwnersRuntime {
  const used = usedBindings();

  function resolve(sessionId: string, bindingId: string): string {
    if (!bindingId.startsWith(prefix)) return bindingId;
    const own = bindingId === sessionBindingId(sessionId) ? used.get(sessionId) : undefined;
    if (own !== undefined && runtime.binding(own) !== undefined) return own;
    throw new RondoError(
      'binding.not_found',
      `session ${sessionId} is not at work in this process, so that there is no binding ${bindingId}`,
      { details: { bindingId, sessionId } },
    );
  }

  /** What is asked with a binding, which is the session's from then on, unless it fails. */
  async function using<Result>(
    { sessionId, bindingId }: { readonly sessionId: string; readonly bindingId: string },
    ask: (bindingId: string) => Promise<Result>,
  ): Promise<Result> {
    const before = used.get(sessionId);
    const own = resolve(sessionId, bindingId);
    used.set(sessionId, own);
    try {
      return await ask(own);
    } catch (error) {
      if (before === undefined && used.get(sessionId) === own) used.delete(sessionId);
      throw error;
    }
  }

  return {
    ...runtime,
    isOpen: (sessionId) => used.has(rootIdOf(sessionId)),
    binding: (bindingId) =>
      runtime.binding(
        bindingId.startsWith(prefix) ? (used.get(bindingId.slice(prefix.length)) ?? bindingId) : bindingId,
      ),
    unbind(bindingId) {
      used.unbind(bindingId);
      runtime.unbind(bindingId);
    },
    async createSession(params) {
      const { sessionId } = params;
      if (sessionId !== undefined)
        return await using({ ...params, sessionId }, (bindingId) => runtime.createSession({ ...params, bindingId }));
      const created = await runtime.createSession(params);
      if (runtime.binding(params.bindingId) !== undefined) used.set(created.sessionId, params.bindingId);
      return created;
    },
    // It opens nothing: the session is taken for the change alone.
    async configureSession(params) {
      return await runtime.configureSession({ ...params, bindingId: resolve(params.sessionId, params.bindingId) });
    },
    openSession: (params) => using(params, (bindingId) => runtime.openSession({ ...params, bindingId })),
    startTurn: (params) => using(params, (bindingId) => runtime.startTurn({ ...params, bindingId })),
    sendMessage: (params) => using(params, (bindingId) => runtime.sendMessage({ ...params, bindingId })),
    async forkSession(params) {
      const { bindingId } = params;
      if (bindingId === undefined) return await runtime.forkSession(params);
      const own = resolve(params.sessionId, bindingId);
      const fork = await runtime.forkSession({ ...params, bindingId: own });
      used.set(fork.sessionId, own);
      return fork;
    },
    async closeSession(params) {
      used.delete(params.sessionId);
      return await runtime.closeSession(params);
    },
    async cancelSession(params) {
      const result = await runtime.cancelSession(params);
      used.delete(params.sessionId);
      return result;
    },
    async recover(options) {
      const recovered = await runtime.recover(options);
      for (const { sessionId, outcome } of recovered) {
        if (outcome !== 'continued') continue;
        const { agentName } = await runtime.readSession({ sessionId });
        const own = options.bindingIds.find((bindingId) => runtime.binding(bindingId)?.agent.name === agentName);
        if (own !== undefined) used.set(sessionId, own);
      }
      return recovered;
    },
  };
}

/** The binding of each session, and back. */
function usedBindings() {
  const bindings = new Map<string, string>();
  const sessions = new Map<string, Set<string>>();

  function forget(sessionId: string): void {
    const bindingId = bindings.get(sessionId);
    if (bindingId === undefined) return;
    bindings.delete(sessionId);
    const others = sessions.get(bindingId);
    others?.delete(sessionId);
    if (others?.size === 0) sessions.delete(bindingId);
  }

  return {
    get: (sessionId: string) => bindings.get(sessionId),
    has: (sessionId: string) => bindings.has(sessionId),
    set(sessionId: string, bindingId: string) {
      forget(sessionId);
      bindings.set(sessionId, bindingId);
      const others = sessions.get(bindingId) ?? new Set();
      sessions.set(bindingId, others.add(sessionId));
    },
    delete: forget,
    unbind(bindingId: string) {
      for (const sessionId of sessions.get(bindingId) ?? []) bindings.delete(sessionId);
      sessions.delete(bindingId);
    },
  };
}
