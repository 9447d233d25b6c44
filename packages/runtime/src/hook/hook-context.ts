import type { JsonObject, JsonValue } from '@rondo/protocol';
import type { KeptState } from '../event/session-state.ts';
import { uuidOf } from './base-input.ts';
import type { HookTurn } from './hook-turn.ts';
import type { HookContext, HookPoint } from './loop-hook.ts';

export interface OpenHookContext {
  readonly context: HookContext;
  /** What `keep` was told, if anything. */
  kept(): { readonly state: KeptState | undefined } | undefined;
  /** What the hook was given that no other run would have, for the log. */
  used(): JsonObject;
  /** From now on the hook changes nothing any more. */
  close(): void;
}

export interface HookContextOptions {
  readonly hook: string;
  readonly hookId: string;
  readonly startedAt: number;
  readonly point: HookPoint;
  readonly signal: AbortSignal;
  readonly inputs: Readonly<Record<string, unknown>>;
}

/**
 * The context of one run. Its chance is made of what the run is called, so that a run that a crash cut off meets the
 * same again.
 */
export function createHookContext(turn: HookTurn, options: HookContextOptions): OpenHookContext {
  const { hook, hookId, startedAt, point, signal, inputs } = options;
  const { sessionId, turnId, sha256 } = turn;
  let closed = false;
  let asked = false;
  let kept: { readonly state: KeptState | undefined } | undefined;
  const uuids: string[] = [];
  const randoms: number[] = [];
  const digest = (kind: string, count: number): string => sha256(`${sessionId}\n${hookId}\n${kind}\n${count}`);

  const context: HookContext = {
    sessionId,
    turnId,
    point,
    signal,
    inputs,
    state: turn.state.hookStates.get(hook),
    keep(state) {
      if (closed) return;
      kept = { state: state === undefined ? undefined : checkedState(state) };
    },
    now() {
      asked = true;
      return startedAt;
    },
    uuid() {
      const made = uuidOf(digest('uuid', uuids.length));
      uuids.push(made);
      return made;
    },
    random() {
      const made = Number.parseInt(digest('random', randoms.length).slice(0, 13), 16) / 2 ** 52;
      randoms.push(made);
      return made;
    },
  };
  return {
    context: Object.freeze(context),
    kept: () => kept,
    used: () => ({
      ...(asked ? { now: startedAt } : {}),
      ...(uuids.length === 0 ? {} : { uuids: [...uuids] }),
      ...(randoms.length === 0 ? {} : { randoms: [...randoms] }),
    }),
    close() {
      closed = true;
    },
  };
}

/** @throws TypeError for what could not be read again. */
function checkedState({ type, value }: KeptState): KeptState {
  if (typeof type !== 'string' || type === '') throw new TypeError('a kept state needs a type, a name of your own');
  const json = JSON.stringify(value) as string | undefined;
  if (json === undefined) throw new TypeError(`the kept state "${type}" has no value that JSON can carry`);
  return { type, value: JSON.parse(json) as JsonValue };
}
