import type { JsonValue, SessionEvent } from '@rondo/protocol';
import type { EventDraft } from '../event/event-draft.ts';

export interface Difference {
  readonly path: string;
  readonly recorded: JsonValue | undefined;
  readonly replayed: JsonValue | undefined;
}

/** The log's own: where an event stands and when. */
const places: ReadonlySet<string> = new Set(['seq', 'id', 'at', 'sessionId', 'required']);

/**
 * What may differ between a turn and its replay: how long things took, the delay before a retry (half of it is chance),
 * and the hashes of the policy and of what hooks judged, since decisions come from the log.
 */
const varying: ReadonlySet<string> = new Set([
  'durationMs',
  'timeToFirstTokenMs',
  'delayMs',
  'policyHash',
  'callback.openedAt',
  'callback.seq',
  'callback.cursor',
  'record.cursor',
  'requestHash',
  'parts',
  'outcome.inputHash',
]);

/** The first field that differs; fields named in `asRecorded` are not looked at. */
export function compareEvents(
  recorded: SessionEvent,
  replayed: EventDraft,
  asRecorded: ReadonlySet<string> = new Set(),
): Difference | undefined {
  if (recorded.type !== replayed.type) return { path: 'type', recorded: recorded.type, replayed: replayed.type };
  const ignored = (path: string): boolean => varying.has(path) || asRecorded.has(path) || places.has(path);
  return firstDifference(recorded as unknown as JsonValue, replayed as unknown as JsonValue, '', ignored);
}

export function firstDifference(
  recorded: JsonValue | undefined,
  replayed: JsonValue | undefined,
  path = '',
  ignored: (path: string) => boolean = () => false,
): Difference | undefined {
  if (recorded === replayed || ignored(path)) return undefined;
  if (!isObject(recorded) || !isObject(replayed) || Array.isArray(recorded) !== Array.isArray(replayed))
    return { path, recorded, replayed };
  const keys = new Set([...Object.keys(recorded), ...Object.keys(replayed)]);
  for (const key of keys) {
    const below = Array.isArray(recorded) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
    const found = firstDifference(memberOf(recorded, key), memberOf(replayed, key), below, ignored);
    if (found !== undefined) return found;
  }
  return undefined;
}

type Members = { readonly [key: string]: JsonValue } | readonly JsonValue[];

function isObject(value: JsonValue | undefined): value is Members {
  return typeof value === 'object' && value !== null;
}

function memberOf(value: Members, key: string): JsonValue | undefined {
  return (value as { readonly [key: string]: JsonValue })[key];
}
