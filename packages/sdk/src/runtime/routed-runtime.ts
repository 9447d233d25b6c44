import { randomUUID } from 'node:crypto';
import type { Client } from '@rondo/client';
import type { MethodName, MethodParams, MethodResult } from '@rondo/protocol';
import { isRondoError, RondoError } from '@rondo/protocol/values';
import type { Runtime } from '@rondo/runtime';
import { missingFromBinding, type FileStore } from '@rondo/runtime/node';
import { createOwnerConnections } from './owner-connections.ts';
import { isGone, routedEvents } from './routed-events.ts';
import { type OwnersRuntime, sessionBindingId } from './session-bindings.ts';

/** How long an owner without an address is waited for. */
const PATIENCE_MS = 5000;
const RETRY_MS = 100;

export interface RoutedRuntimeOptions {
  readonly runtime: OwnersRuntime;
  readonly store: Pick<FileStore, 'ownerOf' | 'describe'>;
}

interface Route {
  readonly address: string;
  /** Bindings of this process that have what the session was started with. */
  readonly fits: Set<string>;
}

/**
 * The runtime, for sessions of other processes too: what only a session's owner can do is asked of it over its socket,
 * and of whoever is the owner next, this process among them, when it goes in the middle. A message is applied once all
 * the same. What reads is read here, from the log.
 */
export function createRoutedRuntime({ runtime, store }: RoutedRuntimeOptions): Runtime {
  const owners = createOwnerConnections();
  const routes = new Map<string, Route>();

  const addressOf = async (sessionId: string): Promise<string | undefined> => (await store.ownerOf(sessionId))?.address;

  /**
   * Asks this runtime, or the session's owner.
   * @throws RondoError `session.in_use` when the owner has no address for five seconds.
   */
  async function routed<Result>(
    sessionId: string,
    ask: { readonly here: () => Promise<Result>; readonly there: (owner: Client, route: Route) => Promise<Result> },
  ): Promise<Result> {
    let patientUntil: number | undefined;
    for (;;) {
      const route = routes.get(sessionId);
      if (route !== undefined) {
        try {
          return await owners.use(route.address, (owner) => ask.there(owner, route));
        } catch (error) {
          if (!isGone(error) && !(await isNotOwner(error, sessionId, route.address))) throw error;
          if (routes.get(sessionId) === route) routes.delete(sessionId);
        }
      }
      const refusal = await refusalOf(sessionId, ask.here);
      if ('result' in refusal) return refusal.result;
      const { address } = refusal;
      if (address !== undefined && address !== route?.address) {
        if (routes.get(sessionId)?.address !== address) routes.set(sessionId, { address, fits: new Set() });
        continue;
      }
      // It has no address yet, or it is just going: then the session is free in a moment, or somebody else's.
      patientUntil ??= performance.now() + PATIENCE_MS;
      if (performance.now() > patientUntil) throw refusal.error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      if (address !== undefined) routes.set(sessionId, { address, fits: new Set() });
    }
  }

  /** What came of asking here, or where else to ask. */
  async function refusalOf<Result>(
    sessionId: string,
    here: () => Promise<Result>,
  ): Promise<{ readonly result: Result } | { readonly error: unknown; readonly address: string | undefined }> {
    try {
      return { result: await here() };
    } catch (error) {
      if (isRondoError(error, 'session.in_use')) {
        const address = error.details?.['address'];
        return { error, address: typeof address === 'string' ? address : undefined };
      }
      const isElsewhere =
        isRondoError(error, 'session.busy') ||
        (isRondoError(error, 'binding.not_found') && error.details?.['bindingId'] === sessionBindingId(sessionId));
      const owner = isElsewhere && !runtime.isOpen(sessionId) ? await store.ownerOf(sessionId) : undefined;
      if (owner === undefined) throw error;
      return { error, address: owner.address };
    }
  }

  /** Who was asked owned the session a moment ago. */
  async function isNotOwner(error: unknown, sessionId: string, address: string): Promise<boolean> {
    if (isRondoError(error, 'binding.not_found')) return error.details?.['bindingId'] === sessionBindingId(sessionId);
    const mayBe = isRondoError(error, 'session.in_use') || isRondoError(error, 'session.busy');
    return mayBe && error.details?.['missing'] === undefined && (await addressOf(sessionId)) !== address;
  }

  /** By the method's own name, with the same params. */
  const asked =
    <Method extends MethodName>(
      method: Method,
      here: (params: MethodParams<Method>) => Promise<MethodResult<Method>>,
    ) =>
    (params: MethodParams<Method> & { readonly sessionId: string }): Promise<MethodResult<Method>> =>
      routed(params.sessionId, { here: () => here(params), there: (owner) => owner.request(method, params) });

  /** A message: applied once, however many owners have seen it. The first try here needs no key for that. */
  function once<Params extends { readonly idempotencyKey?: string | undefined }>(params: Params): () => Params {
    let keyed: Params | undefined;
    return () => (keyed ??= params.idempotencyKey === undefined ? { ...params, idempotencyKey: randomUUID() } : params);
  }

  async function requireFit(sessionId: string, bindingId: string, { fits }: Route): Promise<void> {
    if (bindingId === sessionBindingId(sessionId) || fits.has(bindingId)) return;
    const binding = runtime.binding(bindingId);
    const recorded = (await store.describe(sessionId))?.binding;
    if (binding !== undefined && recorded !== undefined) {
      const missing = missingFromBinding(recorded, binding);
      if (missing.length > 0) throw await inUseWith(sessionId, missing);
    }
    fits.add(bindingId);
  }

  async function inUseWith(sessionId: string, missing: readonly string[]): Promise<RondoError> {
    const owner = await store.ownerOf(sessionId);
    return new RondoError(
      'session.in_use',
      `Session ${sessionId} is at work in another process with what is missing here: ${missing.join(', ')}. Work with it from there, or follow it with rondo attach ${sessionId}.`,
      {
        details: {
          sessionId,
          missing: [...missing],
          ...(owner === undefined ? {} : { pid: owner.pid, host: owner.host, since: owner.since }),
        },
      },
    );
  }

  /** A message to a session, for which the owner takes the binding that it works with. */
  function messageTo<Method extends 'turn/start' | 'turn/send'>(
    method: Method,
    here: (params: MethodParams<Method>) => Promise<MethodResult<Method>>,
  ) {
    return (params: MethodParams<Method>): Promise<MethodResult<Method>> => {
      const { sessionId, bindingId } = params;
      const keyed = once(params);
      let isSent = false;
      return routed<MethodResult<Method>>(sessionId, {
        here: () => here(isSent ? keyed() : params),
        async there(owner, route) {
          await requireFit(sessionId, bindingId, route);
          isSent = true;
          return await owner.request(method, { ...keyed(), bindingId: sessionBindingId(sessionId) });
        },
      });
    };
  }

  return {
    ...runtime,
    openSession(params) {
      const { sessionId, bindingId } = params;
      // An owner of before may not be it any more, and would still read the session to whoever asks.
      routes.delete(sessionId);
      return routed(sessionId, {
        here: () => runtime.openSession(params),
        async there(owner, route) {
          await requireFit(sessionId, bindingId, route);
          // With its owner it is open already, and nothing of it is unfinished.
          const session = await owner.request('session/read', { sessionId });
          return { session, ...(session.activeTurnId === undefined ? {} : { openTurnId: session.activeTurnId }) };
        },
      });
    },
    startTurn: messageTo('turn/start', runtime.startTurn),
    sendMessage: messageTo('turn/send', runtime.sendMessage),
    steerTurn(params) {
      const keyed = once(params);
      let isSent = false;
      return routed(params.sessionId, {
        here: () => runtime.steerTurn(isSent ? keyed() : params),
        there(owner) {
          isSent = true;
          return owner.request('turn/steer', keyed());
        },
      });
    },
    updateSession: asked('session/update', runtime.updateSession),
    configureSession: (params) =>
      routed(params.sessionId, {
        here: () => runtime.configureSession(params),
        async there(owner, route) {
          await requireFit(params.sessionId, params.bindingId, route);
          return await owner.request('session/configure', { ...params, bindingId: sessionBindingId(params.sessionId) });
        },
      }),
    cancelSession: asked('session/cancel', runtime.cancelSession),
    interruptTurn: asked('turn/interrupt', runtime.interruptTurn),
    answerCallback: (params, options) =>
      routed(params.sessionId, {
        here: () => runtime.answerCallback(params, options),
        there: (owner) => owner.request('callback/answer', params),
      }),
    subscribe(sessionId, options) {
      // What is stored, the log has; only what is shown and not stored is the owner's alone.
      if (options.deltas === undefined || options.deltas === false || runtime.isOpen(sessionId))
        return runtime.subscribe(sessionId, options);
      return routedEvents({ runtime, owners, addressOf }, sessionId, options);
    },
    async close() {
      owners.close();
      await runtime.close();
    },
  };
}
