import type {
  ClientMethodParams,
  ErrorFrame,
  JsonValue,
  MethodParams,
  MethodResult,
  ResultFrame,
} from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import type { Runtime } from '@rondo/runtime';
import type { Principal } from '../access/principal.ts';
import { bindingNotFound, usableBinding } from '../access/usable-binding.ts';
import type { Link } from '../link.ts';
import { type HookRoute, hookRoutesOf } from './hook-routes.ts';
import { remoteHook } from './remote-hook.ts';
import { withHooks } from './with-hooks.ts';

/** What the client of one connection does for turns of this host, for as long as it is connected. */
export interface Capabilities {
  /** @throws RondoError `input.invalid`, `binding.not_found`, `access.denied`, `protocol.queue_full`. */
  bind(params: MethodParams<'capability/bind'>): MethodResult<'capability/bind'>;
  /** @throws RondoError `binding.not_found` for one with hooks of somebody else. */
  requireOwn(bindingId: string): void;
  /** The client's answer. One that nobody waits for is let pass. */
  take(response: ResultFrame | ErrorFrame): void;
  /** For when the client has gone: its bindings go with it, and a turn that asks for its hooks is parked. */
  abandon(): void;
}

export interface CapabilitiesOptions {
  readonly runtime: Runtime;
  readonly link: Link;
  readonly principal: Principal | undefined;
}

/** Bindings of one connection. */
const MOST_BINDINGS = 64;

interface Pending {
  readonly bindingId: string;
  settle(outcome: { readonly result: JsonValue } | { readonly error: Error } | undefined): void;
}

export function createCapabilities({ runtime, link, principal }: CapabilitiesOptions): Capabilities {
  const bound = new Set<string>();
  const pending = new Map<string, Pending>();
  let asked = 0;

  function ask(params: ClientMethodParams<'capability/call'>, signal: AbortSignal): Promise<JsonValue | undefined> {
    asked += 1;
    const id = `host-${asked}`;
    return new Promise((resolve, reject) => {
      const onAbort = (): void => finish(() => reject(signal.reason));
      const finish = (settle: () => void): void => {
        pending.delete(id);
        signal.removeEventListener('abort', onAbort);
        settle();
      };
      pending.set(id, {
        bindingId: params.bindingId,
        settle: (outcome) =>
          finish(() => {
            if (outcome !== undefined && 'error' in outcome) reject(outcome.error);
            else resolve(outcome?.result);
          }),
      });
      if (signal.aborted) return onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        link.send({ jsonrpc: '2.0', id, method: 'capability/call', params });
      } catch (error) {
        finish(() => reject(error));
      }
    });
  }

  const route: HookRoute = {
    principal: principal?.name,
    ask,
    leave(bindingId) {
      bound.delete(bindingId);
      for (const one of pending.values()) if (one.bindingId === bindingId) one.settle(undefined);
    },
  };

  /** @throws RondoError `input.invalid` for the ID of a binding that is not this principal's. */
  function requireFree(bindingId: string): void {
    const before = hookRoutesOf(runtime).get(bindingId);
    const isFree =
      before === undefined ? runtime.binding(bindingId) === undefined : before.principal === route.principal;
    if (!isFree) throw invalid('newBindingId', `there is a binding ${bindingId}; choose a new ID`);
  }

  return {
    bind({ bindingId: baseId, newBindingId, hooks }) {
      const base = usableBinding(runtime, principal, baseId);
      const names = new Set([...(base.guardrails ?? []), ...(base.hooks ?? [])].map(({ name }) => name));
      for (const [index, { name }] of hooks.entries()) {
        if (names.has(name))
          throw invalid(`hooks.${index}.name`, `there is another hook "${name}"; give each a name of its own`);
        names.add(name);
      }
      const bindingId = newBindingId ?? globalThis.crypto.randomUUID();
      if (bindingId === baseId) throw invalid('newBindingId', 'the derived binding has an ID of its own');
      requireFree(bindingId);
      if (!bound.has(bindingId) && bound.size >= MOST_BINDINGS) throw tooMany();
      const routes = hookRoutesOf(runtime);
      const before = routes.get(bindingId);
      routes.set(bindingId, route);
      // What waits for an earlier connection is asked over this one.
      if (before !== undefined && before !== route) before.leave(bindingId);
      bound.add(bindingId);
      runtime.bind(
        withHooks(
          base,
          hooks.map((hook) => remoteHook(runtime, bindingId, hook)),
        ),
        bindingId,
      );
      return { bindingId };
    },
    requireOwn(bindingId) {
      const owner = hookRoutesOf(runtime).get(bindingId);
      if (owner !== undefined && owner.principal !== route.principal) throw bindingNotFound(bindingId);
    },
    take(response) {
      const waiting = typeof response.id === 'string' ? pending.get(response.id) : undefined;
      if (waiting === undefined) return;
      if ('error' in response) waiting.settle({ error: new Error(response.error.message) });
      else waiting.settle({ result: response.result });
    },
    abandon() {
      for (const bindingId of bound) {
        hookRoutesOf(runtime).delete(bindingId);
        runtime.unbind(bindingId);
        route.leave(bindingId);
      }
    },
  };
}

function invalid(field: string, message: string): RondoError {
  return new RondoError('input.invalid', `${field}: ${message}`, { details: { field } });
}

function tooMany(): RondoError {
  return new RondoError(
    'protocol.queue_full',
    `this connection has ${MOST_BINDINGS} bindings with hooks of its own; use one of them for more sessions`,
    { details: { bindings: MOST_BINDINGS } },
  );
}
