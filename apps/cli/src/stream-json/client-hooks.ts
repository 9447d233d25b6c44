import { randomUUID } from 'node:crypto';
import { RondoError } from '@rondo/protocol/values';
import type { HookCallbackMatcher, Options } from '@rondo/sdk';
import type { ClientRequests } from './client-requests.ts';
import { type Frame, isFrame } from './read-frames.ts';

export interface ClientHooks {
  readonly hooks: NonNullable<Options['hooks']>;
  /**
   * Takes the IDs of a repeated `initialize`: the same hooks, of a client that has started again.
   * @throws RondoError `input.invalid` where they are not the same hooks: what would not run, its author relies on.
   */
  renew(matchers: unknown): void;
}

/**
 * The client's hooks, which it knows by callback IDs, as functions that ask it. One that cannot be asked has failed, as one that
 * throws has. What events and matchers there are is judged by the option.
 * @throws RondoError `input.invalid` for another shape than `{ Event: [{ matcher, hookCallbackIds, timeout }] }`.
 */
export function clientHooks(matchers: unknown, requests: ClientRequests): ClientHooks {
  const groups = readGroups(matchers);
  const places = groups.flatMap(({ event, at, ids }) => ids.map((id, index) => ({ event, at, index, id })));
  const currentIds = places.map(({ id }) => id);
  const hooks: Record<string, HookCallbackMatcher[]> = {};
  let next = 0;
  for (const { event, ids, fields } of groups) {
    const callbacks = ids.map(() => {
      const place = next;
      next += 1;
      return (...[input, toolUseId, { signal }]: Parameters<HookCallbackMatcher['hooks'][number]>) =>
        requests.ask(
          'hook_callback',
          { callback_id: currentIds[place], input, tool_use_id: toolUseId ?? `hook-${randomUUID()}` },
          { signal, whenGone: 'fails' },
        );
    });
    (hooks[event] ??= []).push({ ...fields, hooks: callbacks } as HookCallbackMatcher);
  }
  const shape = shapeOf(groups);
  return {
    hooks,
    renew(again) {
      const renewed = readGroups(again);
      if (shapeOf(renewed) !== shape)
        throw new RondoError(
          'input.invalid',
          'initialize.hooks cannot change while a session is at work: start another one.',
        );
      currentIds.splice(0, currentIds.length, ...renewed.flatMap(({ ids }) => ids));
    },
  };
}

interface Group {
  readonly event: string;
  readonly at: number;
  readonly ids: readonly string[];
  /** Everything but the IDs, as the option takes it. */
  readonly fields: Frame;
}

function readGroups(matchers: unknown): readonly Group[] {
  if (matchers === undefined || matchers === null) return [];
  if (!isFrame(matchers)) throw refused('', 'takes an object of events');
  return Object.entries(matchers).flatMap(([event, entries]) => {
    if (entries === undefined || entries === null) return [];
    if (!Array.isArray(entries)) throw refused(`.${event}`, 'takes a list');
    return entries.map((entry: unknown, at) => {
      const ids = isFrame(entry) ? entry['hookCallbackIds'] : undefined;
      if (!isFrame(entry) || !Array.isArray(ids) || !ids.every((id) => typeof id === 'string'))
        throw refused(`.${event}[${at}]`, 'takes { matcher, hookCallbackIds, timeout }');
      const { matcher, timeout, failOpen } = entry;
      const fields = {
        ...(matcher === undefined || matcher === null ? {} : { matcher }),
        ...(timeout === undefined || timeout === null ? {} : { timeout }),
        ...(failOpen === undefined || failOpen === null ? {} : { failOpen }),
      };
      return { event, at, ids, fields };
    });
  });
}

function shapeOf(groups: readonly Group[]): string {
  return JSON.stringify(groups.map(({ event, at, ids, fields }) => [event, at, ids.length, fields]));
}

function refused(place: string, problem: string): RondoError {
  return new RondoError('input.invalid', `initialize.hooks${place} ${problem}.`);
}
