import { resolve } from 'node:path';
import { RondoError } from '@rondo/protocol/values';
import { isRecord } from '../is-record.ts';
import type { Options } from '../options/options.ts';
import { projectKeyOf, type SessionKey, type SessionStoreEntry } from '../store/session-store.ts';
import { LOAD_TIMEOUT_MS, storeCall } from '../store/store-call.ts';
import type { AnswerPeer, PeerQuestion } from './answer-peer.ts';
import type { Frame } from './json-line.ts';

/** What a peer that mirrors its session names among its capabilities. */
const capability = 'session_store_v1';

/** Characters of the lines that one answer takes along. A line that is longer goes alone. */
const mostCharacters = 8 * 1024 * 1024;

/** The program's store, as its peer reaches it. */
export interface PeerStore {
  /** Answers to what the peer asks of it, by subtype. */
  readonly answers: Readonly<Record<string, AnswerPeer>>;
  /** What `initialize` says of it. */
  readonly description: object;
  /** What of the store kept the peer from opening its session. */
  readonly failure: RondoError | undefined;
  /** @throws RondoError `store.unavailable` for a peer that would not mirror anything, given what it answered to `initialize`. */
  check(initialized: Frame): void;
  /** A line of the peer as its reader should see it: with the folder's key as the store knows it. */
  shown(line: Frame): Frame;
}

/** Undefined where the program has no store. */
export function createPeerStore(options: Options): PeerStore | undefined {
  const { sessionStore: store, sessionStoreFlush: flush, loadTimeoutMs = LOAD_TIMEOUT_MS } = options;
  if (store === undefined) return undefined;
  const projectKey = projectKeyOf(resolve(options.cwd ?? process.cwd()));
  /** A transcript that is being handed over, a part at a time. */
  const loaded = new Map<string, Handover>();
  let failure: RondoError | undefined;

  /** The time that the store has is kept here, where it is known when it was asked. */
  async function ask<Value>(what: string, { signal }: PeerQuestion, call: () => Promise<Value>): Promise<Value> {
    try {
      return await storeCall(what, loadTimeoutMs, call, { signal });
    } catch (error) {
      if (!(error instanceof RondoError)) throw error;
      failure ??= error;
      // The peer says what failed; the reason is all that it is told.
      throw error.cause ?? error;
    }
  }

  return {
    get failure() {
      return failure;
    },
    description: {
      projectKey,
      ...(flush === undefined ? {} : { flush }),
      listSessions: store.listSessions !== undefined,
      listSubkeys: store.listSubkeys !== undefined,
    },
    answers: {
      async session_store_append({ request }) {
        const { entries } = request;
        if (!Array.isArray(entries)) throw new RondoError('input.invalid', 'entries takes a list of lines.');
        await store.append(keyOf(request['key']), entries as SessionStoreEntry[]);
        return {};
      },
      async session_store_load(question) {
        const key = keyOf(question.request['key']);
        const name = JSON.stringify(key);
        const from = Number(question.request['from']);
        let handover = from === 0 ? undefined : loaded.get(name);
        if (handover === undefined) {
          const entries = await ask('load', question, () => store.load(key));
          if (entries === null) return { entries: null, more: false };
          handover = handoverOf(entries);
          loaded.set(name, handover);
        }
        const part = handover.part(from);
        if (!part.more) loaded.delete(name);
        return part;
      },
      async session_store_list_sessions(question) {
        const list = (): Promise<unknown> =>
          store.listSessions?.(text(question.request, 'projectKey')) ?? Promise.resolve([]);
        return { sessions: await ask('listSessions', question, list) };
      },
      async session_store_list_subkeys(question) {
        const place = {
          projectKey: text(question.request, 'projectKey'),
          sessionId: text(question.request, 'sessionId'),
        };
        const list = (): Promise<unknown> => store.listSubkeys?.(place) ?? Promise.resolve([]);
        return { subkeys: await ask('listSubkeys', question, list) };
      },
    },
    check({ capabilities }) {
      if (Array.isArray(capabilities) && capabilities.includes(capability)) return;
      throw new RondoError(
        'store.unavailable',
        `the peer process mirrors no session to options.sessionStore: it does not name ${capability} among its capabilities. Leave out the store, or start a rondo that has it`,
      );
    },
    shown(line) {
      const { key } = line;
      return line['subtype'] === 'mirror_error' && isRecord(key) ? { ...line, key: { ...key, projectKey } } : line;
    },
  };
}

interface Handover {
  part(from: number): { readonly entries: readonly unknown[]; readonly more: boolean };
}

function handoverOf(entries: readonly unknown[]): Handover {
  return {
    part(from) {
      let characters = 0;
      let to = from;
      while (to < entries.length && (to === from || characters < mostCharacters)) {
        characters += JSON.stringify(entries[to])?.length ?? 0;
        to += 1;
      }
      return { entries: entries.slice(from, to), more: to < entries.length };
    },
  };
}

/** @throws RondoError `input.invalid` for what names no transcript. */
function keyOf(value: unknown): SessionKey {
  const given = isRecord(value) ? value : {};
  const { subpath } = given;
  return {
    projectKey: text(given, 'projectKey'),
    sessionId: text(given, 'sessionId'),
    ...(typeof subpath === 'string' ? { subpath } : {}),
  };
}

function text(from: Frame, name: string): string {
  const value = from[name];
  if (typeof value === 'string') return value;
  throw new RondoError('input.invalid', `${name} takes a text.`);
}
