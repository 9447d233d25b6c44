import type { AgentCustomization, BindingRecord, JsonObject, SessionInfo } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import type { EventDraft } from '../event/event-draft.ts';
import type { OwnedLog } from '../event/event-store.ts';
import type { SessionState } from '../event/session-state.ts';
import { rootIdOf } from '../event/session-tree-id.ts';
import { emptyTreeState, type TreeState } from '../event/tree-state.ts';
import type { Binding } from '../turn/binding.ts';
import { missingForSession } from './binding-record.ts';
import { createLiveTree, type LiveTree } from './live-tree.ts';
import { sessionNotFound } from './session-not-found.ts';
import type { SessionServices } from './session-services.ts';
import { acquireReplayed, replayStored } from './tree-replay.ts';
import { createTreeTable, type TreeTable } from './tree-table.ts';
import { sessionInfoOf, sessionInfoOfStored } from './turn-reading.ts';

export interface SessionOwnerOptions {
  readonly services: SessionServices;
  readonly recordOf: (binding: Binding) => BindingRecord;
}

/** What a new session begins with. */
export interface NewSession {
  readonly record: BindingRecord;
  readonly facts: {
    readonly title?: string;
    readonly inputs?: JsonObject;
    readonly customization?: AgentCustomization;
    readonly forkedFrom?: { sessionId: string; cursor: string };
    readonly idempotencyKey?: string;
    readonly contentHash?: string;
  };
  readonly begins?: readonly EventDraft[];
  /** Throws what keeps the session from being made. */
  readonly check?: () => Promise<void>;
  /** What is written before the session is anybody's. */
  readonly fill?: (tree: LiveTree) => Promise<void>;
}

/** The session trees that this runtime owns, and what is known of those that it does not. */
export interface SessionOwner {
  readonly trees: TreeTable;
  /**
   * The tree of a session, which has to be open here. @throws RondoError `session.not_found`, `session.busy`, and what
   * its log failed with here.
   */
  opened(sessionId: string): Promise<LiveTree>;
  create(sessionId: string, session: NewSession): Promise<LiveTree>;
  /** Opens a stored session. @throws RondoError `session.in_use`, `session.config_mismatch`. */
  acquire(sessionId: string, binding: Binding, unfinished: 'settle' | 'continue'): Promise<LiveTree>;
  /** @throws RondoError `session.config_mismatch` when the binding lacks what the session was started with. */
  assertSatisfied(state: SessionState, binding: Binding): void;
  /** The tree's owner here, or an owner for as long as the work takes: what its last one left unfinished stays so. */
  borrow<Value>(sessionId: string, work: (tree: LiveTree) => Promise<Value>): Promise<Value>;
  /**
   * Why a session that this runtime owned cannot be written, until somebody opens it again, here or elsewhere: whoever
   * comes to watch it meanwhile would wait for what nobody does.
   */
  failure(sessionId: string): Promise<Error | undefined>;
  /** A session and its tree, whoever owns it: as far as it is durable. @throws RondoError `session.not_found`. */
  read(sessionId: string): Promise<{ readonly tree: TreeState; readonly state: SessionState }>;
  /** @throws RondoError `session.not_found`. */
  info(sessionId: string): Promise<SessionInfo>;
}

/** How an owner's log failed, and where the log then ended. */
interface Failure {
  readonly error: Error;
  readonly lastSeq: number | undefined;
}

export function createSessionOwner({ services, recordOf }: SessionOwnerOptions): SessionOwner {
  const { store } = services;
  const trees = createTreeTable();
  const failures = new Map<string, Promise<Failure>>();

  function makeLive(log: OwnedLog, state: TreeState): LiveTree {
    const { sessionId } = log;
    failures.delete(sessionId);
    const tree: LiveTree = createLiveTree({
      services,
      log,
      state,
      onFailed: (error) => void failures.set(sessionId, giveUpFailed(tree, error)),
    });
    return tree;
  }

  async function giveUpFailed(tree: LiveTree, error: unknown): Promise<Failure> {
    await trees.giveUp(tree);
    const lastSeq = await lastSeqOf(tree.rootId);
    if (lastSeq === undefined) failures.delete(tree.rootId);
    return { error: error instanceof Error ? error : new Error(String(error)), lastSeq };
  }

  async function lastSeqOf(rootId: string): Promise<number | undefined> {
    return (await store.describe(rootId).catch(() => undefined))?.lastSeq;
  }

  async function failure(sessionId: string): Promise<Error | undefined> {
    const failing = failures.get(sessionId);
    if (failing === undefined) return undefined;
    const { error, lastSeq } = await failing;
    const isGoneOn = (await lastSeqOf(sessionId)) !== lastSeq;
    if (failures.get(sessionId) !== failing) return undefined;
    if (!isGoneOn) return error;
    failures.delete(sessionId);
    return undefined;
  }

  function assertSatisfied(state: SessionState, binding: Binding): void {
    if (state.binding === undefined) return;
    const missing = missingForSession(state.binding, recordOf(binding));
    if (missing.length === 0) return;
    throw new RondoError(
      'session.config_mismatch',
      `session ${state.sessionId} was started with what is missing here: ${missing.join(', ')}. Continue it with the program that started it, or fork it (--fork-session)`,
      { details: { sessionId: state.sessionId, missing } },
    );
  }

  async function read(sessionId: string): Promise<{ readonly tree: TreeState; readonly state: SessionState }> {
    const rootId = rootIdOf(sessionId);
    const live = await trees.get(rootId);
    await live?.info();
    const tree = live?.state ?? (await replayStored(store, rootId));
    const state = tree.sessions.get(sessionId);
    if (state === undefined) throw sessionNotFound(sessionId);
    return { tree, state };
  }

  return {
    trees,
    async opened(sessionId) {
      const rootId = rootIdOf(sessionId);
      const tree = trees.get(rootId);
      if (tree !== undefined) return await tree;
      if ((await store.describe(rootId)) === undefined) throw sessionNotFound(sessionId);
      const failed = await failure(rootId);
      if (failed !== undefined) throw failed;
      const message = `session ${sessionId} is not open in this runtime; open it with session/open first`;
      throw new RondoError('session.busy', message, { details: { sessionId } });
    },
    async create(sessionId, { record, facts, begins = [], check, fill }) {
      await check?.();
      await trees.left(sessionId);
      const log = await store.create(sessionId);
      const tree = makeLive(log, emptyTreeState(sessionId));
      tree.emit([
        { type: 'session.created', binding: record, ...facts },
        { type: 'session.acquired', epoch: log.epoch, host: { ...services.host } },
        ...begins,
      ]);
      try {
        await fill?.(tree);
      } catch (error) {
        await tree.close();
        throw error;
      }
      return tree;
    },
    async acquire(sessionId, binding, unfinished) {
      await trees.left(sessionId);
      const { log, state } = await acquireReplayed(store, sessionId);
      try {
        assertSatisfied(state.root, binding);
        const tree = makeLive(log, state);
        if (!log.readOnly) await tree.recover(binding, unfinished);
        return tree;
      } catch (error) {
        await log.release().catch(() => {});
        throw error;
      }
    },
    assertSatisfied,
    async borrow(sessionId, work) {
      return await trees.borrow(rootIdOf(sessionId), async (owner) => {
        if (owner !== undefined) return await work(owner);
        const { log, state } = await acquireReplayed(store, rootIdOf(sessionId));
        const tree = createLiveTree({ services, log, state, onFailed: () => {} });
        try {
          if (!log.readOnly) tree.takeOver();
          return await work(tree);
        } finally {
          await tree.close();
        }
      });
    },
    failure,
    read,
    async info(sessionId) {
      const rootId = rootIdOf(sessionId);
      const tree = trees.get(rootId);
      if (tree !== undefined) {
        const info = await (await tree).info(sessionId);
        const { logBytes } = (await store.describe(rootId)) ?? {};
        return logBytes === undefined ? info : { ...info, logBytes };
      }
      if (rootId !== sessionId) return sessionInfoOf((await read(sessionId)).state);
      const stored = await store.describe(rootId);
      if (stored === undefined) throw sessionNotFound(sessionId);
      return sessionInfoOfStored(stored);
    },
  };
}
