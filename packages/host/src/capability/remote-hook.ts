import type { BoundHook, JsonObject } from '@rondo/protocol';
import type { HookContext, HookPoint, LoopHook, Runtime } from '@rondo/runtime';
import { hookRoutesOf } from './hook-routes.ts';

/** A hook that asks the client whose it is. */
export function remoteHook(runtime: Runtime, bindingId: string, { name, points, timeoutMs }: BoundHook): LoopHook {
  const routes = hookRoutesOf(runtime);

  async function decide(context: HookContext, judged: object): Promise<unknown> {
    const { sessionId, turnId, point, signal } = context;
    const params = { bindingId, name, point, sessionId, turnId, payload: judged as JsonObject };
    for (;;) {
      const route = routes.get(bindingId);
      if (route === undefined) {
        const { rootId = sessionId } = await runtime.readSession({ sessionId });
        // Its client may have come back meanwhile.
        if (routes.has(bindingId)) continue;
        return await park(runtime, rootId, signal);
      }
      const answer = await route.ask(params, signal);
      if (answer === undefined) continue;
      const { readDecision } = await import('./read-decision.ts');
      return readDecision(answer);
    }
  }

  const functions = points.map((point: HookPoint) => [point, decide]);
  return { name, ...(timeoutMs === undefined ? {} : { timeoutMs }), ...Object.fromEntries(functions) };
}

/**
 * Gives the session up: nothing is decided, and whoever opens it with such a hook goes on with the turn. Where that fails,
 * the hook fails.
 */
async function park(runtime: Runtime, sessionId: string, signal: AbortSignal): Promise<never> {
  await runtime.closeSession({ sessionId });
  signal.throwIfAborted();
  throw new Error('its client is not connected');
}
