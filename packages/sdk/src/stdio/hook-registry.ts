import type { ClientControlRequests } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import type { HookCallback, HookCallbackMatcher, HookCallbacks } from '../hooks/hook-callback.ts';

/** The hooks of a program, under the names by which a peer calls them. */
export interface HookRegistry {
  /** What `initialize` says of them; undefined where there are none. */
  readonly matchers: ClientControlRequests['initialize']['hooks'];
  get(callbackId: string): HookCallback | undefined;
}

/** @throws RondoError `input.invalid` for what is no hook: its author relies on it. */
export function registerHooks(hooks: HookCallbacks | undefined): HookRegistry {
  const callbacks = new Map<string, HookCallback>();
  const groups = Object.entries((hooks ?? {}) as Readonly<Record<string, unknown>>).flatMap(([event, matchers]) => {
    if (matchers === undefined) return [];
    if (!Array.isArray(matchers)) throw refused(event, 'takes a list of { matcher, hooks: [function] }');
    return [[event, matchers.map((matcher: unknown, index) => register(matcher, `${event}[${index}]`))] as const];
  });

  function register(matcher: unknown, place: string) {
    if (!isMatcher(matcher)) throw refused(place, 'takes { matcher, hooks: [function], timeout, failOpen }');
    const ids = matcher.hooks.map((callback) => {
      const id = `hook_${callbacks.size}`;
      callbacks.set(id, callback);
      return id;
    });
    return {
      ...(matcher.matcher === undefined ? {} : { matcher: matcher.matcher }),
      hookCallbackIds: ids,
      ...(matcher.timeout === undefined ? {} : { timeout: matcher.timeout }),
      ...(matcher.failOpen === undefined ? {} : { failOpen: matcher.failOpen }),
    };
  }

  return {
    matchers: groups.length === 0 ? undefined : Object.fromEntries(groups),
    get: (id) => callbacks.get(id),
  };
}

function isMatcher(value: unknown): value is HookCallbackMatcher {
  if (typeof value !== 'object' || value === null) return false;
  const { hooks } = value as Readonly<Record<string, unknown>>;
  return Array.isArray(hooks) && hooks.every((hook) => typeof hook === 'function');
}

function refused(place: string, problem: string): RondoError {
  return new RondoError('input.invalid', `options.hooks.${place} ${problem}.`, { details: { option: 'hooks' } });
}
