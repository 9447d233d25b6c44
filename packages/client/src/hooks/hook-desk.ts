import type { ClientMethodParams, HookPoint, JsonValue, MethodParams } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import { randomUuid } from '../connection/random-uuid.ts';
import type { ClientHook, ClientHookContext } from './client-hook.ts';

/** One row a point: a new one does not compile before it is here. */
const pointTable: Readonly<Record<HookPoint, true>> = {
  preAgentTurn: true,
  preLlmCall: true,
  postLlmCall: true,
  preToolCall: true,
  postToolCall: true,
  postAgentTurn: true,
};

/** What a client binds, the same over every connection. */
export type HookBinding = MethodParams<'capability/bind'> & { readonly newBindingId: string };

/** The hooks that live in a client, whatever connection they are asked over. */
export interface HookDesk {
  /** From here on the hooks are answered for. @throws TypeError for what is no hook. */
  open(bindingId: string, hooks: readonly ClientHook[]): HookBinding;
  /** A host has bound it: every further connection begins with that. */
  keep(binding: HookBinding): void;
  drop(binding: HookBinding): void;
  /** What a further connection begins with. */
  readonly kept: ReadonlySet<HookBinding>;
  /** A hook's answer to the host. Rejects with what the host may know of its failure. */
  answer(call: ClientMethodParams<'capability/call'>, signal: AbortSignal): Promise<JsonValue>;
}

export function createHookDesk(): HookDesk {
  const hooks = new Map<string, ClientHook>();
  const kept = new Set<HookBinding>();
  const keyOf = (bindingId: string, name: string): string => `${bindingId}/${name}`;
  return {
    kept,
    open(bindingId, given) {
      const newBindingId = randomUuid();
      const bound = given.map((hook, index) => {
        const points = pointsOf(hook);
        if (points.length === 0)
          throw new TypeError(`hooks[${index}] has none of the functions ${pointNames.join(', ')}`);
        const { name, timeoutMs } = hook;
        return { name, points, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
      });
      for (const hook of given) hooks.set(keyOf(newBindingId, hook.name), hook);
      return { bindingId, newBindingId, hooks: bound };
    },
    keep(binding) {
      kept.add(binding);
    },
    drop(binding) {
      for (const { name } of binding.hooks) hooks.delete(keyOf(binding.newBindingId, name));
    },
    async answer({ bindingId, name, point, sessionId, turnId, payload }, signal) {
      const hook = hooks.get(keyOf(bindingId, name));
      const run = hook?.[point] as ((context: ClientHookContext, judged: unknown) => unknown) | undefined;
      if (run === undefined) throw new RondoError('hook.failed', `this client has no hook "${name}" at ${point}`);
      try {
        const decision = (await run.call(hook, Object.freeze({ sessionId, turnId, signal }), payload)) ?? {
          type: 'continue',
        };
        // What JSON cannot carry would break the connection rather than the hook.
        return JSON.parse(JSON.stringify({ decision })) as JsonValue;
      } catch (error) {
        throw new RondoError('hook.failed', error instanceof Error ? error.message : String(error), { cause: error });
      }
    },
  };
}

const pointNames = Object.keys(pointTable) as HookPoint[];

function pointsOf(hook: ClientHook): HookPoint[] {
  return pointNames.filter((point) => typeof hook[point] === 'function');
}
