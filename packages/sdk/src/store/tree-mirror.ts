import type { Client, Session } from '@rondo/client';
import type { AnyEvent, SDKMessage } from '@rondo/protocol';
import { isRondoError } from '@rondo/protocol/values';
import { isRecord } from '../is-record.ts';
import { wholeEvents } from '../sessions/whole-events.ts';
import { agentIdOf, subpathOf } from '../transcript/agent-id.ts';
import type { KnownLines } from './load-session.ts';
import { mirrorError, type SessionMirror, startSessionMirror } from './session-mirror.ts';
import type { SessionKey, SessionStore } from './session-store.ts';

export interface TreeMirrorOptions {
  readonly client: Client;
  readonly session: Session;
  readonly store: Pick<SessionStore, 'append'>;
  readonly key: SessionKey;
  readonly known: KnownLines;
  readonly flush: 'batched' | 'eager';
  /** Hears what could not be mirrored. */
  readonly show: (line: SDKMessage) => void;
}

/** Mirrors a session, and each subagent's under its subpath. */
export interface TreeMirror {
  /** Resolves when everything that was said is in the store, or some seconds later. Never rejects. */
  close(): Promise<void>;
}

/** Subagents that are there are found at the beginning; others begin with a call, and are looked for behind each such call. */
export function startTreeMirror({ client, session, store, key, known, flush, show }: TreeMirrorOptions): TreeMirror {
  const below = new Map<string, Promise<SessionMirror | undefined>>();
  const common = { store, flush, show };
  let looking: Promise<void> | undefined;
  /** There may be more than the last look has found. */
  let isDue = false;
  const root = startSessionMirror({
    ...common,
    key,
    known: known.own,
    events: watched(wholeEvents(client, session), true),
  });

  function watched(events: AsyncIterator<AnyEvent>, isRoot: boolean): AsyncIterator<AnyEvent> {
    let looksAround = isRoot;
    return {
      async next() {
        const step = await events.next();
        if (step.done !== true && (looksAround || startsSession(step.value))) void look();
        looksAround = false;
        return step;
      },
      return: async () => (await events.return?.()) ?? { done: true, value: undefined },
    };
  }

  function look(): Promise<void> {
    isDue = true;
    looking ??= lookAround().then(async () => {
      looking = undefined;
      // It was asked for once more when the last look was over.
      if (isDue) await look();
    });
    return looking;
  }

  async function lookAround(): Promise<void> {
    try {
      while (isDue) {
        isDue = false;
        const { sessions } = await client.request('session/list', { scope: 'tree', root: session.id });
        for (const { id, status } of sessions) {
          // What has ended, and is there whole, need not be read.
          const isDone = status === 'terminated' && known.whole.has(id);
          if (id !== session.id && !isDone && !below.has(id)) below.set(id, mirrorBelow(id));
        }
      }
    } catch (error) {
      // Of a session that never came to be, the root's mirror tells.
      if (!isRondoError(error, 'session.not_found')) show(mirrorError(key, error));
    }
  }

  async function mirrorBelow(sessionId: string): Promise<SessionMirror | undefined> {
    try {
      const events = watched(wholeEvents(client, client.session(sessionId)), false);
      const first = await events.next();
      if (first.done === true) return undefined;
      const subpath = subpathOf(agentIdOf(sessionId, first.value));
      return startSessionMirror({
        ...common,
        key: { ...key, subpath },
        sessionId,
        known: known.below.get(subpath) ?? new Set(),
        events: startingWith(first, events),
      });
    } catch (error) {
      show(mirrorError({ ...key, subpath: subpathOf(agentIdOf(sessionId)) }, error));
      return undefined;
    }
  }

  async function closeMirror(mirror: SessionMirror | undefined, of: Session): Promise<void> {
    const end = await of.read().catch(() => undefined);
    await mirror?.close(end?.cursor ?? `${of.id}:0`);
  }

  return {
    async close() {
      const closing = closeMirror(root, session);
      // The root's mirror may still be on its way to the call that started one.
      await look();
      await Promise.all([
        closing,
        ...[...below].map(async ([id, mirror]) => closeMirror(await mirror, client.session(id))),
      ]);
    },
  };
}

/** A call of which a session begins: it is stored with the call's start, so that it is there once that is seen. */
function startsSession(event: AnyEvent): boolean {
  return event.type === 'tool.started' && isRecord(event.prepared) && typeof event.prepared['sessionId'] === 'string';
}

function startingWith(first: IteratorResult<AnyEvent>, rest: AsyncIterator<AnyEvent>): AsyncIterator<AnyEvent> {
  let isFirst = true;
  return {
    async next() {
      if (!isFirst) return await rest.next();
      isFirst = false;
      return first;
    },
    return: async () => (await rest.return?.()) ?? { done: true, value: undefined },
  };
}
