import type { ClientMethodParams, JsonValue } from '@rondo/protocol';
import type { Runtime } from '@rondo/runtime';

/** The way to a client's hooks. */
export interface HookRoute {
  /** Whose hooks they are. Undefined: of code of this process. */
  readonly principal: string | undefined;
  /** Undefined when the way is no more: there may be another one. Rejects with what the client says went wrong. */
  ask(params: ClientMethodParams<'capability/call'>, signal: AbortSignal): Promise<JsonValue | undefined>;
  /** The binding is another connection's now. */
  leave(bindingId: string): void;
}

const all = new WeakMap<Runtime, Map<string, HookRoute>>();

/** By the ID of the derived binding, over all connections of a runtime: a client that comes back takes its own over. */
export function hookRoutesOf(runtime: Runtime): Map<string, HookRoute> {
  let routes = all.get(runtime);
  if (routes === undefined) all.set(runtime, (routes = new Map()));
  return routes;
}
