import type {
  AnswerOutcome,
  AnyEvent,
  CallbackAnswer,
  MessageEntry,
  MethodResult,
  PermissionUpdate,
  SessionInfo,
  TurnLimits,
  TurnRecord,
} from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import { createCallbackDesk } from '../callback/callback-desk.ts';
import { createContextBuilder } from '../context/context-builder.ts';
import type { EventDraft } from '../event/event-draft.ts';
import type { OwnedLog } from '../event/event-store.ts';
import type { ActiveTurn, KeyedSend, QueuedMessage, SessionState } from '../event/session-state.ts';
import { checkPermissionUpdates, unwrittenUpdates } from '../permission/apply-permission-updates.ts';
import { policyHash } from '../permission/policy-hash.ts';
import type { Binding } from '../turn/binding.ts';
import { settleTurn } from '../turn/settle-turn.ts';
import { bindingRecordOf, missingForTurn } from './binding-record.ts';
import { createEventFeed, type EventFeed } from './event-feed.ts';
import { keyedBefore, keyFields, type TurnMessage } from './keyed-send.ts';
import { createSessionPolicy } from './session-policy.ts';
import type { SessionServices } from './session-services.ts';
import { createSessionWriter } from './session-writer.ts';
import { recordOfTurn, sessionInfoOf } from './turn-reading.ts';
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
  /** Takes the session over from a former owner, and takes up what it left. */
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
  const { store, newId, sha256 } = services;
  const sessionId = state.sessionId;
  const secrets = new Set<string>();
  let secretList: readonly string[] = [];
  let starting: Promise<void> | undefined;
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
    context: createContextBuilder({ readBlob: (hash) => services.readBlob(sessionId, hash) }),
    policy,
    wantsDeltas: feed.wantsDeltas,
    async onEnded() {
      await exclusively(startQueued);
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

  const recordFor = (binding: Binding) => bindingRecordOf(binding, policyHash(policy(binding), sha256));

  /** Starts the turn of the messages that waited for the last one to end. If that fails they wait for the next start. */
  async function startQueued(): Promise<string | undefined> {
    const first = state.queue[0];
    if (first === undefined || closed || state.terminated || state.active !== undefined) return undefined;
    if (lastBinding === undefined || writer.failed.aborted) return undefined;
    const together =
      first.delivery === 'later' ? [first] : state.queue.filter((message) => message.delivery !== 'later');
    try {
      const limits = together.findLast((message) => message.limits !== undefined)?.limits;
      return await begin(together.map(entryDraft), {}, lastBinding, limits);
    } catch (error) {
      writer.emit([notStartedNotice(error)]);
      return undefined;
    }
  }

  function entryDraft(message: Pick<QueuedMessage, 'content' | 'messageId'>): (turnId: string) => EventDraft {
    const { messageId } = message;
    const entry: MessageEntry = {
      type: 'message',
      id: newId(),
      role: 'user',
      messageId,
      content: [...message.content],
    };
    return (turnId) => ({ type: 'entry.completed', turnId, entry });
  }

  /** Emits the start of a turn and sets it going; resolves when the start is durable. */
  async function begin(
    messages: readonly ((turnId: string) => EventDraft)[],
    keyed: ReturnType<typeof keyFields> & { readonly messageId?: string },
    binding: Binding,
    given: TurnLimits | undefined,
  ): Promise<string> {
    const limits = limitsOf(binding, given);
    useBinding(binding);
    const environment = await binding.environment?.();
    assertUsable();
    const turnId = newId();
    const record = recordFor(binding);
    const drafts: EventDraft[] = [
      { type: 'turn.started', turnId, binding: record, ...keyed, ...(limits === undefined ? {} : { limits }) },
    ];
    if (environment !== undefined && environment !== '' && environment !== state.environment) {
      const content = [{ type: 'text' as const, text: environment }];
      drafts.push({
        type: 'entry.completed',
        turnId,
        entry: { type: 'message', id: newId(), role: 'context', kind: 'environment', content },
      });
    }
    drafts.push(...messages.map((message) => message(turnId)));
    const { committed } = writer.emit(drafts);
    runner.run(turnId, binding);
    await committed;
    return turnId;
  }

  /** One start at a time: what a start decides on must still be so when it emits. */
  async function exclusively<Value>(work: () => Promise<Value>): Promise<Value> {
    while (starting !== undefined) await starting;
    let release = (): void => {};
    starting = new Promise((resolve) => {
      release = resolve;
    });
    try {
      return await work();
    } finally {
      starting = undefined;
      release();
    }
  }

  function assertUsable(): void {
    if (writer.failed.aborted) throw writer.failed.reason;
    if (closed) throw new RondoError('channel.closed', `session ${sessionId} was closed; open it again`);
    if (state.terminated)
      throw new RondoError('session.terminated', `session ${sessionId} has ended; start a new one or fork it`);
    if (log.readOnly) {
      throw new RondoError(
        'session.read_only',
        `session ${sessionId} was written by a newer version and can only be read by this one`,
      );
    }
  }

  async function startTurn(message: TurnMessage, binding: Binding): Promise<MethodResult<'turn/start'>> {
    return await exclusively(async () => {
      assertUsable();
      const before = keyedBefore(state, message, sha256);
      const waits = before !== undefined && state.queue.some(({ messageId }) => messageId === before.messageId);
      if (before?.turnId !== undefined && !waits) {
        await writer.flushed();
        return { type: 'started', turnId: before.turnId, started: before.started, messageId: before.messageId };
      }
      if (state.active !== undefined) return { type: 'busy', turnId: state.active.turnId };
      const waiting = state.queue.map(entryDraft);
      if (waits) {
        const turnId = await begin(waiting, {}, binding, message.limits);
        return { type: 'started', turnId, started: before.started, messageId: before.messageId };
      }
      const messageId = message.messageId ?? newId();
      const own = entryDraft({ content: message.content, messageId });
      const keyed = message.idempotencyKey === undefined ? {} : { ...keyFields(message, sha256), messageId };
      const turnId = await begin([...waiting, own], keyed, binding, message.limits);
      return { type: 'started', turnId, started: true, messageId };
    });
  }

  async function enqueue(message: TurnMessage, delivery: QueuedMessage['delivery']): Promise<string> {
    const messageId = message.messageId ?? newId();
    const turnId = delivery === 'join' ? state.active?.turnId : undefined;
    const { committed } = writer.emit([
      {
        type: 'message.queued',
        messageId,
        delivery,
        content: [...message.content],
        ...(message.limits === undefined ? {} : { limits: message.limits }),
        ...keyFields(message, sha256),
        ...(turnId === undefined ? {} : { turnId }),
      },
    ]);
    await committed;
    return messageId;
  }

  async function sendMessage(
    message: TurnMessage,
    delivery: QueuedMessage['delivery'],
    binding: Binding,
  ): Promise<MethodResult<'turn/send'>> {
    const queued = await exclusively(async (): Promise<MethodResult<'turn/send'> | undefined> => {
      assertUsable();
      const before = keyedBefore(state, message, sha256);
      if (before !== undefined) return acceptedBefore(before);
      const active = state.active;
      if (active === undefined) return undefined;
      limitsOf(binding, message.limits);
      useBinding(binding);
      const messageId = await enqueue(message, delivery);
      return { type: 'accepted', messageId, started: false, ...(delivery === 'join' ? { turnId: active.turnId } : {}) };
    });
    if (queued !== undefined) {
      if (state.active !== undefined || state.queue.length === 0) return queued;
      await exclusively(startQueued);
      const known = keyedBefore(state, message, sha256);
      return known === undefined ? queued : acceptedBefore(known);
    }
    const outcome = await startTurn(message, binding);
    if (outcome.type === 'started')
      return { type: 'accepted', messageId: outcome.messageId, turnId: outcome.turnId, started: true };
    return await sendMessage(message, delivery, binding);
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
    await exclusively(startQueued);
    return { type: 'accepted', turnId };
  }

  async function recover(binding: Binding, unfinished: 'settle' | 'continue'): Promise<void> {
    const facts: EventDraft[] = [{ type: 'session.acquired', epoch: log.epoch, host: { ...services.host } }];
    if (log.damage !== undefined) facts.push(damageNotice(log.damage));
    writer.emit(facts);
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
      const turnId = unfinished === 'continue' ? await startQueued() : undefined;
      return turnId === undefined ? before : { ...before, status: 'running', activeTurnId: turnId };
    });
  }

  async function info(): Promise<SessionInfo> {
    await writer.flushed();
    return sessionInfoOf(state);
  }

  /** Says whether an unfinished turn goes on here, or what it waits for. */
  function announceTurn(active: ActiveTurn, binding: Binding): boolean {
    const missing = missingForTurn(active.binding, recordFor(binding));
    if (missing.length > 0) {
      const message = `turn ${active.turnId} cannot be continued here; it needs ${missing.join(', ')}`;
      const details = { status: 'parked', missing };
      writer.emit([{ type: 'notice', turnId: active.turnId, level: 'warning', message, details }]);
      return false;
    }
    if (!active.blocked) writer.emit([{ type: 'turn.updated', turnId: active.turnId, status: 'running' }]);
    return true;
  }

  return {
    state,
    feed,
    startTurn,
    sendMessage,
    async steer(turnId, message) {
      assertUsable();
      const before = keyedBefore(state, message, sha256);
      if (before !== undefined) {
        await writer.flushed();
        return { type: 'accepted', turnId: before.turnId ?? turnId };
      }
      if (state.active?.turnId !== turnId) {
        return { type: 'conflict', ...(state.active === undefined ? {} : { turnId: state.active.turnId }) };
      }
      await enqueue(message, 'join');
      return { type: 'accepted', turnId };
    },
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
    idle: () => runner.runningTurnId() === undefined && starting === undefined,
    async settled() {
      do {
        await starting;
        await runner.settled();
      } while (starting !== undefined || runner.runningTurnId() !== undefined);
    },
    async close() {
      if (closed) return;
      closed = true;
      const stopped = runner.stop('closing');
      desk.leave();
      await writer.stop();
      await stopped;
      feed.end();
      await log.release();
    },
  };
}

function acceptedBefore({ messageId, started, turnId }: KeyedSend): MethodResult<'turn/send'> {
  return { type: 'accepted', messageId, started, ...(turnId === undefined ? {} : { turnId }) };
}

/** What a turn is limited to. @throws RondoError `input.invalid` for a limit that could not be kept. */
function limitsOf(binding: Binding, given: TurnLimits | undefined): TurnLimits | undefined {
  const limits = binding.limits === undefined ? given : { ...binding.limits, ...given };
  if (limits?.maxBudgetUsd === undefined || binding.model.price !== undefined) return limits;
  throw new RondoError(
    'input.invalid',
    `a budget cannot be kept with ${binding.model.name}: its price is not known. Leave the budget out, limit the turns instead, or give the model's price`,
  );
}

function damageNotice(damage: { readonly droppedBytes: number; readonly damagedLines: number }): EventDraft {
  const parts: string[] = [];
  if (damage.droppedBytes > 0) parts.push(`${damage.droppedBytes} bytes of an incomplete last batch were cut off`);
  if (damage.damagedLines > 0) parts.push(`${damage.damagedLines} damaged lines are left out`);
  return {
    type: 'notice',
    level: 'warning',
    message: `The log was damaged: ${parts.join('; ')}. Everything else is whole.`,
    details: { status: 'log_damaged', droppedBytes: damage.droppedBytes, damagedLines: damage.damagedLines },
  };
}

function notStartedNotice(error: unknown): EventDraft {
  const message = error instanceof Error ? error.message : String(error);
  return {
    type: 'notice',
    level: 'error',
    message: `The messages that wait could not be started, and go with the next message that is sent: ${message}`,
    details: { status: 'queue_not_started' },
  };
}

function unwrittenNotice(): EventDraft {
  return {
    type: 'notice',
    level: 'info',
    message: 'The permission update counts for this session; this version does not write it to a settings file.',
    details: { status: 'unwritten_permissions' },
  };
}
