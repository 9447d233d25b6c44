import type {
  AgentCustomization,
  AgentCustomizationChange,
  AnswerOutcome,
  AnyEvent,
  CallbackAnswer,
  MethodResult,
  PermissionUpdate,
  SessionBranched,
  SessionInfo,
  TurnRecord,
} from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import type { EventDraft } from '../event/event-draft.ts';
import type { OwnedLog } from '../event/event-store.ts';
import type { SessionState } from '../event/session-state.ts';
import { descendantsOf, type TreeState } from '../event/tree-state.ts';
import { checkPermissionUpdates, unwrittenUpdates } from '../permission/apply-permission-updates.ts';
import { policyInForce } from '../permission/live-policy.ts';
import { policyHash } from '../permission/policy-hash.ts';
import type { Policy } from '../permission/policy.ts';
import type { Binding } from '../turn/binding.ts';
import { createAgentSpawner, type AgentSpawner } from './agent-spawner.ts';
import { bindingRecordOf } from './binding-record.ts';
import { branchDrafts } from './branch-session.ts';
import { cancelMessage } from './cancel-message.ts';
import { changedCustomization, createCustomizer } from './customized-binding.ts';
import type { EventFeed } from './event-feed.ts';
import type { TurnMessage } from './keyed-send.ts';
import { createLiveSession, type LiveSession } from './live-session.ts';
import { createOneAtATime } from './one-at-a-time.ts';
import { createPermissionSaver } from './permission-saver.ts';
import { unwrittenNotice } from './session-notices.ts';
import { createSessionPolicy } from './session-policy.ts';
import type { SessionServices } from './session-services.ts';
import { createTranscriptFeed } from './session-transcripts.ts';
import { findQuestion } from './find-question.ts';
import { isEnd } from './session-end.ts';
import { tellSessionEnd } from './session-end-hooks.ts';
import { sessionNotFound } from './session-not-found.ts';
import { consequencesOf } from './tree-consequences.ts';
import { createTreeEnding } from './tree-ending.ts';
import { createTreeRecovery, type TreeRecovery } from './tree-recovery.ts';
import { snapshotOf } from './tree-replay.ts';
import { createTreeWriter, type Emission, type Publication, type SessionWriter } from './tree-writer.ts';
import { recordOfTurn, sessionInfoOf } from './turn-reading.ts';
import { createTurnIntake } from './turn-intake.ts';

/** A session and its subagents, which this process owns: their one log, and the turns that are at work. */
export interface LiveTree extends TreeRecovery {
  readonly rootId: string;
  readonly state: TreeState;
  /** What follows a session of the tree; undefined for one that is not there, or whose events are all in the log. */
  feed(sessionId: string): EventFeed | undefined;
  startTurn(message: TurnMessage, binding: Binding): Promise<MethodResult<'turn/start'>>;
  sendMessage(
    message: TurnMessage,
    delivery: 'join' | 'next' | 'later',
    binding: Binding,
  ): Promise<MethodResult<'turn/send'>>;
  steer(turnId: string, message: TurnMessage): Promise<MethodResult<'turn/steer'>>;
  /** Stops a turn of any session of the tree, and the subagents that work for it. */
  interrupt(sessionId: string, turnId: string): Promise<MethodResult<'turn/interrupt'>>;
  /** Answers a question of the session, or one that is open below it. */
  answer(sessionId: string, callbackId: string, answer: CallbackAnswer, by: string): Promise<AnswerOutcome>;
  update(change: SessionChange): Promise<void>;
  cancelMessage(messageId: string): Promise<MethodResult<'message/cancel'>>;
  /** Changes what later turns have otherwise than their agent says; gives all of it. Throws before anything is stored. */
  configure(change: AgentCustomizationChange, binding: Binding): Promise<AgentCustomization>;
  /**
   * Goes on from an earlier place of the root's conversation; nothing is stored where that is its end already. Throws while
   * a turn is at work, and for a place that the conversation does not have.
   */
  branch(from: SessionBranched['from']): Promise<void>;
  /** Ends the root and all below it; resolves when that is durable. One that has ended is left as it is. */
  cancel(): Promise<void>;
  record(sessionId: string, turnId: string): Promise<TurnRecord>;
  /** @throws RondoError `session.not_found`. */
  info(sessionId?: string): Promise<SessionInfo>;
  emit(drafts: readonly EventDraft[]): { readonly committed: Promise<void> };
  /** Of any session of the tree, that nothing runs in: what it means for others is not looked at. */
  emitIn(sessionId: string, drafts: readonly EventDraft[]): { readonly committed: Promise<void> };
  /** Ends a turn that a fork's cut left open. */
  settleCutOff(): Promise<void>;
  /** True when nothing runs and nothing is queued. */
  idle(): boolean;
  /** Resolves when the running turn, and what was queued behind it, has ended. */
  settled(): Promise<void>;
  /** Gives the log up. A running turn stops without a trace and is found by the next owner. */
  close(): Promise<void>;
}

interface SessionChange {
  readonly title?: string;
  readonly tag?: string | null;
  readonly archived?: boolean;
  readonly permissions?: PermissionUpdate[];
}

export interface LiveTreeOptions {
  readonly services: SessionServices;
  readonly log: OwnedLog;
  readonly state: TreeState;
  /** Called once when the log can no longer be written; the session has to be opened again. */
  readonly onFailed: (error: unknown) => void;
}

export function createLiveTree({ services, log, state: tree, onFailed }: LiveTreeOptions): LiveTree {
  const { store, sha256 } = services;
  const rootId = tree.root.sessionId;
  const secrets = new Set<string>();
  let secretList: readonly string[] = [];
  const exclusively = createOneAtATime();
  const customized = createCustomizer();
  const live = new Map<string, LiveSession>();
  let closed = false;
  let cancelling: Promise<void> | undefined;
  let lastBinding: Binding | undefined;
  const transcribed = createTranscriptFeed(store, rootId, log.lastSeq === 0);
  /** What the last turn works with, which may be equipped otherwise. */
  let workedWith: Binding | undefined;

  const read = (after: number): AsyncIterable<AnyEvent> => store.read(rootId, { after });
  const writer = createTreeWriter({
    log,
    state: tree,
    clock: services.clock,
    secrets: () => secretList,
    spill: (encoded) => services.spill(rootId, encoded),
    publish,
  });
  const rootPolicy = createSessionPolicy(tree.root);
  const checkUpdates = (updates: readonly PermissionUpdate[]): readonly EventDraft[] => {
    if (lastBinding !== undefined) checkPermissionUpdates(rootPolicy(lastBinding), updates);
    const isWritten = lastBinding?.savePermissions !== undefined || unwrittenUpdates(updates).length === 0;
    return isWritten ? [] : [unwrittenNotice()];
  };
  // The hash is without what the session was allowed since: that is in the log, and goes wherever the session goes.
  const recordOf = (binding: Binding) => ({
    ...bindingRecordOf(binding, policyHash(policyInForce(binding), sha256)),
    permissionMode: rootPolicy(binding).mode,
  });
  let spawner: AgentSpawner | undefined;
  const ending = createTreeEnding({ tree, emitOf });
  for (const state of tree.sessions.values())
    if (state === tree.root || !state.terminated) openSession(state, log.lastSeq);
  const root = live.get(rootId) as LiveSession;
  const saver = createPermissionSaver({
    state: tree.root,
    emit: root.writer.emit,
    binding: () => lastBinding,
    policyHash: (binding) => recordOf(binding).policyHash,
  });
  const intake = createTurnIntake({
    services,
    state: tree.root,
    writer: root.writer,
    exclusively,
    refusal,
    useBinding,
    customized,
    lastBinding: () => lastBinding,
    recordOf,
    run: runRoot,
  });
  const recovery = createTreeRecovery({
    services,
    log,
    tree,
    root,
    exclusively,
    recordOf,
    bindingOf: (state, rootBinding) => agents().bindingOf(state, rootBinding),
    useBinding,
    customized,
    settle: (turnId, outcome) => ending.settle(tree.root, turnId, outcome),
    run: runRoot,
    startQueued: intake.startQueued,
    info: () => info(),
  });
  writer.failed.addEventListener('abort', () => fail(writer.failed.reason), { once: true });

  function openSession(state: SessionState, committed: number): LiveSession {
    const isRoot = state === tree.root;
    const session = createLiveSession({
      services,
      rootId,
      state,
      writer: { emit: emitOf(state), show: writer.show, flushed: writer.flushed, failed: writer.failed },
      committed,
      // What the root is allowed, all are: each has its own binding, and so its own copy.
      policy: isRoot ? rootPolicy : createSessionPolicy(tree.root),
      checkUpdates,
      onEnded: isRoot ? afterTurn : () => Promise.resolve(),
      onFailed: (error) => {
        if (!closed && !writer.failed.aborted) fail(error);
      },
    });
    live.set(state.sessionId, session);
    return session;
  }

  /** Most sessions never have any. */
  function agents(): AgentSpawner {
    spawner ??= createAgentSpawner({
      services,
      tree,
      recordOf,
      open: (state) => openSession(state, 0),
      live: (sessionId) => live.get(sessionId),
      record: (state, turnId) => recordOfTurn(tree, state, turnId, read),
      keepSecrets,
    });
    return spawner;
  }

  /** A session alone has no one to tell. */
  function emitOf(state: SessionState): SessionWriter['emit'] {
    return (drafts): Emission => {
      if (state.terminated) return nothingMore();
      if (tree.sessions.size === 1 && tree.root.parked.size === 0 && spawner?.pending() !== true)
        return writer.emit(state.sessionId, drafts);
      // A subagent that did not stop in time ends before the turn that it worked for.
      if (drafts.some(({ type }) => type === 'turn.ended')) ending.settleBelow(state);
      const { drafts: own, elsewhere } = consequencesOf(tree, state, drafts);
      return writer.emit(state.sessionId, own, [...(spawner?.begun(own) ?? []), ...elsewhere]);
    };
  }

  function nothingMore(): Emission {
    return {
      events: [],
      get committed() {
        return writer.flushed();
      },
    };
  }

  function publish({ events, transients }: Publication): void {
    if (events.length > 0) transcribed.see(events);
    if (events.some((event) => event.type === 'session.updated' && event.permissions !== undefined)) saver.save();
    if (live.size === 1 && tree.sessions.size === 1) {
      root.feed.publish({ events, transients });
      if (tree.root.terminated && events.some(isEnd)) root.feed.end();
      return;
    }
    for (const [sessionId, { feed }] of live) {
      const own = {
        events: events.filter((event) => event.sessionId === sessionId),
        transients: transients.filter((transient) => transient.sessionId === sessionId),
      };
      if (own.events.length + own.transients.length > 0) feed.publish(own);
      if (!own.events.some(isEnd)) continue;
      feed.end();
      if (sessionId !== rootId) live.delete(sessionId);
    }
  }

  async function afterTurn(): Promise<void> {
    await exclusively(intake.startQueued);
    // Nobody waits for it, and the next turn need not.
    writer.flushed().then(() => log.keep?.(snapshotOf(tree)), ignore);
  }

  function fail(error: unknown): void {
    for (const session of live.values()) {
      void session.stop('closing');
      session.leave();
      session.feed.end(error);
    }
    onFailed(error);
  }

  function keepSecrets(binding: Binding): void {
    for (const secret of [...(binding.secrets ?? []), ...(binding.model.secrets ?? [])]) {
      if (secrets.has(secret)) continue;
      secrets.add(secret);
      secretList = [...secrets];
    }
  }

  /** What waits is started with the agent itself: how it is customized is asked then. */
  function useBinding(binding: Binding, customizedOne?: Binding): void {
    lastBinding = binding;
    transcribed.use(binding);
    workedWith = customizedOne ?? workedWith ?? binding;
    keepSecrets(binding);
    if (binding.savePermissions !== undefined) saver.save();
    if (customizedOne !== undefined && customizedOne !== binding) keepSecrets(customizedOne);
  }

  function runRoot(turnId: string, binding: Binding): void {
    if (cancelling !== undefined) return;
    const { subagents = [] } = binding;
    root.run(turnId, subagents.length === 0 ? binding : agents().offered(rootId, binding));
  }

  function refusal(): Error | undefined {
    if (writer.failed.aborted) return writer.failed.reason as Error;
    if (tree.root.terminated || cancelling !== undefined)
      return new RondoError('session.terminated', `session ${rootId} has ended; start a new one or fork it`);
    if (closed) return new RondoError('channel.closed', `session ${rootId} was closed; open it again`);
    if (!log.readOnly) return undefined;
    const message = `session ${rootId} was written by a newer version and can only be read by this one`;
    return new RondoError('session.read_only', message);
  }

  function assertUsable(): void {
    const reason = refusal();
    if (reason !== undefined) throw reason;
  }

  function stateOf(sessionId: string): SessionState {
    const state = tree.sessions.get(sessionId);
    if (state === undefined) throw sessionNotFound(sessionId);
    return state;
  }

  /** Those below are told first, so that none outlives the turn that it works for. */
  async function stopRunning(sessionId: string, cause: 'interrupted' | 'cancelled' | 'closing'): Promise<void> {
    const below = descendantsOf(tree, sessionId).reverse();
    const stops = below.map(async (state) => await live.get(state.sessionId)?.stop(cause));
    await live.get(sessionId)?.stop(cause);
    await Promise.all(stops);
  }

  async function interrupt(sessionId: string, turnId: string): Promise<MethodResult<'turn/interrupt'>> {
    const state = stateOf(sessionId);
    if (live.get(sessionId)?.runningTurnId() === turnId) {
      await stopRunning(sessionId, 'interrupted');
      if (state.active?.turnId === turnId) assertUsable();
      await writer.flushed();
      return { type: 'accepted', turnId };
    }
    const { active } = state;
    if (active?.turnId !== turnId)
      return { type: 'conflict', ...(active === undefined ? {} : { turnId: active.turnId }) };
    assertUsable();
    await ending.settle(state, turnId, { type: 'interrupted', cause: 'interrupted', terminalReason: 'aborted_tools' });
    if (state === tree.root) await exclusively(intake.startQueued);
    return { type: 'accepted', turnId };
  }

  /** Once nothing runs any more. */
  async function tellEnd(stopped: Promise<void>): Promise<void> {
    const binding = workedWith;
    if (binding?.eventHooks === undefined) return await stopped;
    await stopped;
    const policy = (): Policy => rootPolicy(binding);
    await tellSessionEnd({ services, state: tree.root, writer: root.writer, policy, binding }, 'other');
  }

  async function cancel(): Promise<void> {
    if (cancelling === undefined) {
      if (tree.root.terminated) return await writer.flushed();
      assertUsable();
    }
    // It waits for nobody: what is being started finds out that the session has ended before it says anything.
    cancelling ??= tellEnd(stopRunning(rootId, 'cancelled')).then(ending.cancel);
    await cancelling;
  }

  async function answer(sessionId: string, callbackId: string, given: CallbackAnswer, by: string) {
    const owner = findQuestion(tree, stateOf(sessionId), callbackId);
    if ('outcome' in owner) return owner.outcome;
    assertUsable();
    const session = live.get(owner.state.sessionId);
    if (session === undefined) return { type: 'alreadySettled' as const, sessionId: owner.state.sessionId };
    return await session.answer(callbackId, given, by);
  }

  async function info(sessionId = rootId): Promise<SessionInfo> {
    await writer.flushed();
    return sessionInfoOf(stateOf(sessionId));
  }

  return {
    rootId,
    state: tree,
    feed: (sessionId) => live.get(sessionId)?.feed,
    startTurn: intake.startTurn,
    sendMessage: intake.sendMessage,
    steer: intake.steer,
    interrupt,
    answer,
    async update(change) {
      assertUsable();
      const notes = checkUpdates(change.permissions ?? []);
      await root.writer.emit([{ type: 'session.updated', ...change }, ...notes]).committed;
    },
    cancelMessage: (messageId) =>
      cancelMessage({ state: tree.root, writer: root.writer, exclusively, assertUsable }, messageId),
    configure: (change, binding) =>
      exclusively(async () => {
        assertUsable();
        const customization = changedCustomization(tree.root.customization, change);
        await customized(binding, customization);
        assertUsable();
        await root.writer.emit([{ type: 'session.updated', customization }]).committed;
        return customization;
      }),
    branch: (from) =>
      exclusively(async () => {
        assertUsable();
        const drafts = branchDrafts(tree.root, from);
        if (drafts.length > 0) await root.writer.emit(drafts).committed;
      }),
    cancel,
    async record(sessionId, turnId) {
      await writer.flushed();
      return await recordOfTurn(tree, stateOf(sessionId), turnId, read);
    },
    info,
    emit: root.writer.emit,
    emitIn: (sessionId, drafts) =>
      sessionId === tree.root.sessionId ? root.writer.emit(drafts) : writer.emit(sessionId, drafts),
    ...recovery,
    async settleCutOff() {
      const { active } = tree.root;
      if (active === undefined) return;
      await ending.settle(tree.root, active.turnId, {
        type: 'interrupted',
        cause: 'forked',
        terminalReason: 'aborted_tools',
      });
    },
    idle: () => root.runningTurnId() === undefined && exclusively.pending() === undefined,
    async settled() {
      do {
        await exclusively.pending();
        await root.settled();
        await saver.settled();
      } while (exclusively.pending() !== undefined || root.runningTurnId() !== undefined);
    },
    async close() {
      if (closed) return;
      closed = true;
      const stopped = stopRunning(rootId, 'closing');
      for (const session of live.values()) session.leave();
      if (workedWith?.eventHooks !== undefined) await tellEnd(stopped);
      await saver.settled();
      await writer.stop();
      await stopped;
      for (const session of live.values()) session.feed.end();
      log.keep?.(snapshotOf(tree));
      await log.release();
    },
  };
}

/** A log that cannot be written any more has told its session. */
const ignore = (): void => {};
