import { RondoError } from '@rondo/protocol/values';
import type { EventHook, EventHookContext, HookEvent, HookRun } from '@rondo/runtime';
import type { HookCallback, HookCallbackMatcher, HookCallbacks } from './hook-callback.ts';
import { didYouMean, isHookEvent } from './hook-event-name.ts';
import type { HookInput } from './hook-input.ts';
import { compileMatcher } from './hook-matcher.ts';
import { readHookAnswer } from './read-hook-answer.ts';

const defaultTimeoutMs = 60_000;
/** What a timer can hold. */
const longestTimeoutMs = 2 ** 31 - 1;

/**
 * The hooks of `options.hooks`.
 * @throws RondoError `input.invalid` naming the place of what is wrong: a hook that would never run is refused, since its
 * author relies on it.
 */
export function compileHookCallbacks(callbacks: HookCallbacks): readonly EventHook[] {
  return Object.entries(callbacks as Readonly<Record<string, unknown>>).flatMap(([event, groups]) => {
    if (groups === undefined) return [];
    if (!isHookEvent(event)) throw refused(event, `is no event${didYouMean(event)}`);
    if (!Array.isArray(groups)) throw refused(event, 'takes a list of { matcher, hooks: [function] }');
    return groups.flatMap((group: unknown, index) => compileGroup(event, group, index));
  });
}

function compileGroup(event: HookEvent, group: unknown, at: number): readonly EventHook[] {
  const place = `${event}[${at}]`;
  if (!isGroup(group)) throw refused(place, 'takes { matcher, hooks: [function], timeout, failOpen }');
  const { matcher, hooks, timeout, failOpen } = group;
  if (timeout !== undefined && !(typeof timeout === 'number' && timeout > 0))
    throw refused(`${place}.timeout`, 'takes seconds, a number above 0');
  if (failOpen !== undefined && typeof failOpen !== 'boolean')
    throw refused(`${place}.failOpen`, 'takes true or false');
  const { matches, never } = compileMatcher(event, matcher);
  if (never !== undefined) throw refused(`${place}.matcher`, `makes a hook that never runs: ${never}`);
  return hooks.map((callback, index) => ({
    name: `${event}/options[${at}].hooks[${index}]${matcher === undefined || matcher === '' ? '' : `(${matcher})`}`,
    event,
    ...(matches === undefined ? {} : { matches }),
    timeoutMs: timeout === undefined ? defaultTimeoutMs : Math.min(timeout * 1000, longestTimeoutMs),
    ...(failOpen === true ? { failOpen } : {}),
    run: (input, context) => runCallback(event, callback, input, context),
  }));
}

async function runCallback(
  event: HookEvent,
  callback: HookCallback,
  input: Parameters<EventHook['run']>[0],
  { signal, toolUseId }: EventHookContext,
): Promise<HookRun> {
  signal.throwIfAborted();
  // A copy that the program may change: what counts is only what it answers.
  const copy = structuredClone(input) as unknown as HookInput;
  const value = await untilAborted(signal, async () => await callback(copy, toolUseId, { signal }));
  return await readHookAnswer(event, value);
}

/** Rejects once `signal` aborts, whatever `work` still comes to. */
async function untilAborted<Value>(signal: AbortSignal, work: () => Promise<Value>): Promise<Value> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(new Error('the hook was aborted before it answered', { cause: signal.reason }));
  signal.addEventListener('abort', abort, { once: true });
  try {
    const value = await Promise.race([work(), aborted]);
    // An answer that came at the same time as the abort is one that nobody waited for.
    if (signal.aborted) abort();
    return signal.aborted ? await aborted : value;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function isGroup(value: unknown): value is HookCallbackMatcher {
  if (typeof value !== 'object' || value === null) return false;
  const { hooks, matcher } = value as Readonly<Record<string, unknown>>;
  const isMatcher = matcher === undefined || typeof matcher === 'string';
  return isMatcher && Array.isArray(hooks) && hooks.every((hook) => typeof hook === 'function');
}

function refused(place: string, problem: string): RondoError {
  return new RondoError('input.invalid', `options.hooks.${place} ${problem}.`, { details: { option: 'hooks' } });
}
