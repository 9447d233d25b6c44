import type {
  AnswerOutcome,
  AnyEvent,
  CallbackAnswer,
  MethodResult,
  PermissionUpdate,
  SessionInfo,
  TurnRecord,
} from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import { createCallbackDesk } from '../callback/callback-desk.ts';
import { createContextBuilder } from '../context/context-builder.ts';
import type { EventDraft } from '../event/event-draft.ts';
import type { OwnedLog } from '../event/event-store.ts';
import type { ActiveTurn, SessionState } from '../event/session-state.ts';
import { checkPermissionUpdates, unwrittenUpdates } from '../permission/apply-permission-updates.ts';
import { policyHash } from '../permission/policy-hash.ts';
import type { Binding } from '../turn/binding.ts';
import { settleTurn } from '../turn/settle-turn.ts';
import { bindingRecordOf, missingForTurn } from './binding-record.ts';
import { createEventFeed, type EventFeed } from './event-feed.ts';
import type { TurnMessage } from './keyed-send.ts';
import { createItemReader, createWholeItem } from './item-reader.ts';
import { createOneAtATime } from './one-at-a-time.ts';
import { damageNotice, unwrittenNotice } from './session-notices.ts';
import { createSessionPolicy } from './session-policy.ts';
import type { SessionServices } from './session-services.ts';
import { snapshotOf } from './session-replay.ts';
import { createSessionWriter } from './session-writer.ts';
import { recordOfTurn, sessionInfoOf } from './turn-reading.ts';
import { createTurnIntake } from './turn-intake.ts';
import { createTurnRunner } from './turn-runner.ts';

/** One session that this process owns: its state, its log, its questions, and the turn it works on. */
export interface LiveSession {
  readonly state: SessionState;
  readonly feed: EventFeed;
  startTurn(message: TurnMessage, binding: Binding): Promise<MethodResult<'turn/start'>>;
  sendMessage(
    message: TurnMessage,
    delivery: 'join' | 'next' | 'later',
    binding: Binding,
  ): Promise<MethodResult<'turn/send'>>;
  steer(turnId: string, message: TurnMessage): Promise<MethodResult<'turn/steer'>>;
  interrupt(turnId: string): Promise<MethodResult<'turn/interrupt'>>;
  answer(callbackId: string, answer: CallbackAnswer, by: string): Promise<AnswerOutcome>;
  update(change: { title?: string; tag?: string | null; permissions?: PermissionUpdate[] }): Promise<void>;
  record(turnId: string): Promise<TurnRecord>;
  info(): Promise<SessionInfo>;
  emit(drafts: readonly EventDraft[]): { readonly committed: Promise<void> };
  /** Says in the log that this host has taken the session over from a former owner, and what was found damaged. */
  takeOver(): void;
  /** Takes the session over, and takes up what its former owner left. */
  recover(binding: Binding, unfinished: 'settle' | 'continue'): Promise<void>;
  /**
   * What becomes of an unfinished turn that does not run here: settled without running anything, continued, or parked.
   * Gives the session as it is before that turn does anything.
   */
  takeUp(binding: Binding, unfinished: 'settle' | 'continue'): Promise<SessionInfo>;
  /**
   * The session as `recover` left it, before a turn that goes on, or begins with messages that waited, did anything:
   * what follows is after its cursor.
   */
  openedAs(): SessionInfo | undefined;
  /** Ends a turn that a fork's cut left open. */
  settleCutOff(): Promise<void>;
  /** True when nothing runs and nothing is queued. */
  idle(): boolean;
  /** Resolves when the running turn, and what was queued behind it, has ended. */
  settled(): Promise<void>;
  /** Gives the log up. A running turn stops without a trace and is found by the next owner. */
  close(): Promise<void>;
}

export interface LiveSessionOptions {
  readonly services: SessionServices;
  readonly log: OwnedLog;
  readonly state: SessionState;
  /** Called once when the log can no longer be written; the session has to be opened again. */
  readonly onFailed: (error: unknown) => void;
}

export function createLiveSession({ services, log, state, onFailed }: LiveSessionOptions): LiveSession {
  const { store, sha256 } = services;
  const sessionId = state.sessionId;
  const secrets = new Set<string>();
  let secretList: readonly string[] = [];
  const exclusively = createOneAtATime();
  let closed = false;
  let openedAs: SessionInfo | undefined;
  let lastBinding: Binding | undefined;

  const read = (after: number): AsyncIterable<AnyEvent> => store.read(sessionId, { after });
  const feed = createEventFeed({ sessionId, read, committed: log.lastSeq, snapshot: () => runner.snapshot() });
  const writer = createSessionWriter({
    log,
    state,
    clock: services.clock,
    secrets: () => secretList,
    spill: (encoded) => services.spill(sessionId, encoded),
    publish: feed.publish,
  });
  const policy = createSessionPolicy(state);
  const checkUpdates = (updates: readonly PermissionUpdate[]): readonly EventDraft[] => {
    if (lastBinding !== undefined) checkPermissionUpdates(policy(lastBinding), updates);
    return unwrittenUpdates(updates).length === 0 ? [] : [unwrittenNotice()];
  };
  const desk = createCallbackDesk({ state, emit: writer.emit, checkUpdates });
  const runner = createTurnRunner({
    services,
    state,
    writer,
    desk,
    context: createContextBuilder({
      readBlob: (hash) => services.readBlob(sessionId, hash),
      wholeItems: () => createItemReader(read),
    }),
    policy,
    wholeItem: createWholeItem({ read, readBlob: (hash) => services.readBlob(sessionId, hash) }),
    wantsDeltas: feed.wantsDeltas,
    async onEnded() {
      await exclusively(intake.startQueued);
      // Nobody waits for it, and the next turn need not.
      writer.flushed().then(() => log.keep?.(snapshotOf(state)), ignore);
    },
    onFailed: (error) => {
      if (!closed && !writer.failed.aborted) fail(error);
    },
  });
  writer.failed.addEventListener('abort', () => fail(writer.failed.reason), { once: true });

  function fail(error: unknown): void {
    void runner.stop('closing');
    desk.leave();
    feed.end(error);
    onFailed(error);
  }

  function useBinding(binding: Binding): void {
    lastBinding = binding;
    for (const secret of [...(binding.secrets ?? []), ...(binding.model.secrets ?? [])]) {
      if (secrets.has(secret)) continue;
      secrets.add(secret);
      secretList = [...secrets];
    }
  }

  // Without what the session was allowed since: that is in the log, and goes wherever the session goes.
  const recordOf = (binding: Binding) => bindingRecordOf(binding, policyHash(binding.policy, sha256));
  const intake = createTurnIntake({
    services,
    state,
    writer,
    exclusively,
    refusal,
    useBinding,
    lastBinding: () => lastBinding,
    recordOf,
    run: (turnId, binding) => runner.run(turnId, binding),
  });

  function refusal(): Error | undefined {
    if (writer.failed.aborted) return writer.failed.reason as Error;
    if (closed) return new RondoError('channel.closed', `session ${sessionId} was closed; open it again`);
    if (state.terminated)
      return new RondoError('session.terminated', `session ${sessionId} has ended; start a new one or fork it`);
    if (!log.readOnly) return undefined;
    const message = `session ${sessionId} was written by a newer version and can only be read by this one`;
    return new RondoError('session.read_only', message);
  }

  function assertUsable(): void {
    const reason = refusal();
    if (reason !== undefined) throw reason;
  }

  async function interrupt(turnId: string): Promise<MethodResult<'turn/interrupt'>> {
    if (runner.runningTurnId() === turnId) {
      await runner.stop('interrupted');
      if (state.active?.turnId === turnId) assertUsable();
      await writer.flushed();
      return { type: 'accepted', turnId };
    }
    const active = state.active;
    if (active?.turnId !== turnId)
      return { type: 'conflict', ...(active === undefined ? {} : { turnId: active.turnId }) };
    assertUsable();
    await settleTurn(
      { turnId, state, emit: writer.emit },
      { type: 'interrupted', cause: 'interrupted', terminalReason: 'aborted_tools' },
    );
    await exclusively(intake.startQueued);
    return { type: 'accepted', turnId };
  }

  function takeOver(): void {
    const facts: EventDraft[] = [{ type: 'session.acquired', epoch: log.epoch, host: { ...services.host } }];
    if (log.damage !== undefined) facts.push(damageNotice(log.damage));
    writer.emit(facts);
  }

  async function recover(binding: Binding, unfinished: 'settle' | 'continue'): Promise<void> {
    takeOver();
    openedAs = await takeUp(binding, unfinished);
  }

  async function takeUp(binding: Binding, unfinished: 'settle' | 'continue'): Promise<SessionInfo> {
    return await exclusively(async () => {
      const active = runner.runningTurnId() === undefined ? state.active : undefined;
      if (log.readOnly || state.active !== active) return await info();
      useBinding(binding);
      if (active !== undefined && unfinished === 'settle') {
        await settleTurn(
          { turnId: active.turnId, state, emit: writer.emit },
          { type: 'interrupted', cause: 'crashed', terminalReason: 'aborted_tools' },
        );
      }
      const goesOn = active !== undefined && unfinished === 'continue' && announceTurn(active, binding);
      const before = await info();
      // Somebody may have interrupted it meanwhile.
      if (goesOn && state.active === active) runner.run(active.turnId, binding);
      // What had been accepted goes on too, as it would have behind the turn before it.
      const turnId = unfinished === 'continue' ? await intake.startQueued() : undefined;
      return turnId === undefined ? before : { ...before, status: 'running', activeTurnId: turnId };
    });
  }

  async function info(): Promise<SessionInfo> {
    await writer.flushed();
    return sessionInfoOf(state);
  }

  /** Says whether an unfinished turn goes on here, or what it waits for. */
  function announceTurn(active: ActiveTurn, binding: Binding): boolean {
    const missing = missingForTurn(active.binding, recordOf(binding));
    if (missing.length > 0) {
      const message = `turn ${active.turnId} cannot be continued here; it needs ${missing.join(', ')}`;
      const details = { status: 'parked', missing };
      writer.emit([{ type: 'notice', turnId: active.turnId, level: 'warning', message, details }]);
      return false;
    }
    const { turnId, blocked } = active;
    if (!blocked || state.parked.has(turnId))
      writer.emit([{ type: 'turn.updated', turnId, status: blocked ? 'blocked' : 'running' }]);
    return true;
  }

  return {
    state,
    feed,
    startTurn: intake.startTurn,
    sendMessage: intake.sendMessage,
    steer: intake.steer,
    interrupt,
    async answer(callbackId, answer, by) {
      assertUsable();
      return await desk.answer(callbackId, answer, by);
    },
    async update(change) {
      assertUsable();
      const notes = checkUpdates(change.permissions ?? []);
      await writer.emit([{ type: 'session.updated', ...change }, ...notes]).committed;
    },
    async record(turnId) {
      await writer.flushed();
      return await recordOfTurn(state, turnId, read);
    },
    info,
    emit: writer.emit,
    takeOver,
    recover,
    takeUp,
    openedAs: () => openedAs,
    async settleCutOff() {
      const active = state.active;
      if (active === undefined) return;
      await settleTurn(
        { turnId: active.turnId, state, emit: writer.emit },
        { type: 'interrupted', cause: 'forked', terminalReason: 'aborted_tools' },
      );
    },
    idle: () => runner.runningTurnId() === undefined && exclusively.pending() === undefined,
    async settled() {
      do {
        await exclusively.pending();
        await runner.settled();
      } while (exclusively.pending() !== undefined || runner.runningTurnId() !== undefined);
    },
    async close() {
      if (closed) return;
      closed = true;
      const stopped = runner.stop('closing');
      desk.leave();
      await writer.stop();
      await stopped;
      feed.end();
      log.keep?.(snapshotOf(state));
      await log.release();
    },
  };
}

/** A log that cannot be written any more has told its session. */
const ignore = (): void => {};
