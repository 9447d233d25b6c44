import type { AnyEvent, KnownOpenCallback, OpenClientToolCall, OpenSignIn, SessionEvent } from '@rondo/protocol';
import { createCallbackDesk, type CallbackDesk, type CallbackOutcome } from '../callback/callback-desk.ts';
import { createContextBuilder } from '../context/context-builder.ts';
import type { ConversationItem } from '../event/conversation.ts';
import type { EventDraft } from '../event/event-draft.ts';
import { createMemoryStore } from '../event/memory-store.ts';
import type { ReadBlob } from '../event/hydrate-event.ts';
import type { ActiveTurn, QueuedMessage, SessionState } from '../event/session-state.ts';
import type { ModelMessage } from '../model/model.ts';
import type { Judge } from '../permission/permission-gate.ts';
import { unwrittenUpdates } from '../permission/apply-permission-updates.ts';
import { unwrittenNotice } from '../session/session-notices.ts';
import { createSessionPolicy } from '../session/session-policy.ts';
import { createTurnRunner, type TurnRunnerOptions } from '../session/turn-runner.ts';
import type { Binding } from '../turn/binding.ts';
import type { TurnStop } from '../turn/turn-parts.ts';
import { isNotStarted, isOutOfTime, limitAhead } from './recorded-ending.ts';
import { callOf, isHeldBack, type RecordedEvents } from './recorded-events.ts';
import { nextIsOf } from './recorded-tool.ts';
import type { ReplayGates } from './replay-gates.ts';

/** What of the world a replay needs. */
export interface ReplayWorld {
  readonly sha256: (text: string) => string;
  readonly resolvePath: (path: string) => Promise<string>;
  readonly foldCase: boolean;
  readonly readBlob: ReadBlob;
}

export interface ReplayOwnerOptions {
  readonly world: ReplayWorld;
  readonly state: SessionState;
  readonly recorded: RecordedEvents;
  readonly gates: ReplayGates;
  readonly judge: Judge;
  /** Compares what is said with what was said; false when the session has gone another way, or its owner had died by then. */
  readonly say: (drafts: readonly EventDraft[]) => SessionEvent[] | undefined;
  /** The turn was stopped while the answer to the call's question was being stored. */
  readonly isAnsweredTooLate: (callId: string) => boolean;
  readonly stopCause: () => TurnStop['cause'];
  /** What was built for the model last. */
  readonly onBuilt: (messages: readonly ModelMessage[]) => void;
}

/** One owner of the session: works its turn and puts its questions, as long as it lived. */
export interface ReplayOwner {
  readonly desk: CallbackDesk;
  run(turnId: string, binding: Binding): void;
  /** Told the turn's signal when it asks the model: what sleeps by it waits to ask again. */
  onAsked(signal: AbortSignal): void;
  isRunning(): boolean;
  /** What the turn failed with, which no turn does. */
  failure(): Error | undefined;
  isStopped(): boolean;
  stop(cause: TurnStop['cause']): Promise<void>;
  /** Whether the turn waits for the answer to it. */
  waitsFor(callbackId: string): boolean;
  questionsOf(callId: string): readonly (OpenSignIn | OpenClientToolCall)[];
  /** Nothing that it says counts any more. */
  readonly emit: TurnRunnerOptions['writer']['emit'];
}

const DAY_MS = 24 * 60 * 60 * 1000;

export function createReplayOwner(options: ReplayOwnerOptions): ReplayOwner {
  const { world, state, recorded, gates } = options;
  const waiting = new Set<string>();
  let isStopped = false;
  let turnSignal: AbortSignal | undefined;
  let failure: Error | undefined;
  let isRunning = false;
  let isStarting = false;

  const emit: ReplayOwner['emit'] = (drafts) => {
    const events = options.say(drafts);
    const outcome = events === undefined ? Promise.reject(new Error('this owner is gone')) : Promise.resolve();
    outcome.catch(() => {});
    return { events: events ?? [], committed: outcome };
  };
  const desk = createCallbackDesk({
    state,
    emit,
    checkUpdates: (updates) => (unwrittenUpdates(updates).length === 0 ? [] : [unwrittenNotice()]),
  });

  async function ask(callback: KnownOpenCallback): Promise<CallbackOutcome> {
    const answered = desk.ask(callback);
    waiting.add(callback.id);
    gates.moved();
    const outcome = await answered;
    waiting.delete(callback.id);
    const callId = callOf({ type: 'callback.opened', callback } as SessionEvent);
    if (callId === undefined) return outcome;
    await gates.until(() => nextIsOf(recorded, callId));
    if (outcome.type === 'closed' || !options.isAnsweredTooLate(callId)) return outcome;
    void stop(options.stopCause());
    return { type: 'closed' };
  }

  const writer = {
    emit,
    show: () => {},
    flushed: () => Promise.resolve(),
    stop: () => Promise.resolve(),
    failed: new AbortController().signal,
  };
  const built = createContextBuilder({ readBlob: world.readBlob });
  const parts: TurnRunnerOptions & { readonly wholeItem: unknown } = {
    services: {
      store: createMemoryStore(),
      clock: {
        // No more time has passed than up to the last event, unless the turn finds that its time is over.
        now: () =>
          (state.active?.measuredAt ?? Date.parse(state.updatedAt)) +
          (!isStarting && isOutOfTime(recorded) ? DAY_MS : 0),
        async sleep(_milliseconds, { signal }) {
          isStarting = false;
          // Others than the turn sleep to learn that something took too long.
          const isRetry = signal === turnSignal;
          const isOver = (): boolean => {
            const next = recorded.next();
            return isRetry ? next?.type === 'model.requested' : isLate(next);
          };
          await gates.until(() => signal.aborted || isOver());
          signal.throwIfAborted();
        },
      },
      newId: () => recorded.takeId() ?? globalThis.crypto.randomUUID(),
      random: () => 0,
      sha256: world.sha256,
      resolvePath: (path) => gates.working(world.resolvePath(path)),
      foldCase: world.foldCase,
      host: { id: 'replay' },
      spill: (_sessionId, encoded) => encoded,
      readBlob: (_sessionId, hash) => world.readBlob(hash),
    },
    rootId: state.sessionId,
    state: asTheTurnSawIt({ state, recorded, isStarting: () => isStarting }),
    writer,
    desk: { ...desk, ask: ask as CallbackDesk['ask'] },
    context: {
      async build(conversation, given) {
        const context = await gates.working(built.build(conversation, given));
        options.onBuilt(context.messages);
        return context;
      },
    },
    policy: createSessionPolicy(state),
    judge: options.judge,
    // Of calls at work at once, who goes on first is told by the log.
    inOrder: (callId) =>
      gates.until(
        () => turnSignal?.aborted === true || recorded.following() === undefined || nextIsOf(recorded, callId),
      ),
    wantsDeltas: () => false,
    onEnded() {
      isRunning = false;
      gates.moved();
      return Promise.resolve();
    },
    onFailed(error: unknown) {
      failure = error instanceof Error ? error : new Error('the turn threw what is no error');
    },
    // Nothing of the conversation is left in the log here.
    wholeItem: (item: ConversationItem) => Promise.resolve(item),
  };
  const runner = createTurnRunner(parts);

  function stop(cause: TurnStop['cause']): Promise<void> {
    isStopped = true;
    // What a turn says before anything was waited for, it says while it is being set going.
    const end =
      isRunning && runner.runningTurnId() === undefined
        ? Promise.resolve().then(() => runner.stop(cause))
        : runner.stop(cause);
    gates.moved();
    return end;
  }

  return {
    desk,
    emit,
    run(turnId, binding) {
      isRunning = true;
      // Until it waits for its time to be over, which is what it does first where its time is limited.
      isStarting = true;
      runner.run(turnId, binding);
    },
    onAsked(signal) {
      turnSignal = signal;
    },
    isRunning: () => isRunning,
    failure: () => failure,
    isStopped: () => isStopped,
    stop,
    waitsFor: (callbackId) => waiting.has(callbackId),
    questionsOf: (callId) => questionsOf(state, callId),
  };
}

/** Whether it was told then that a hook's time is over. */
function isLate(event: SessionEvent | undefined): boolean {
  return event?.type === 'hook.completed' && event.outcome['failure'] === 'timeout';
}

interface SeenState {
  readonly state: SessionState;
  readonly recorded: RecordedEvents;
  /** The turn is just being taken up. */
  readonly isStarting: () => boolean;
}

/**
 * Which messages the turn takes up next, and whether its time is over, is a matter of when it looked: as it was then.
 */
function asTheTurnSawIt({ state, recorded, isStarting }: SeenState): SessionState {
  const queue = (): readonly QueuedMessage[] => {
    const joining: QueuedMessage[] = [];
    // Messages that it would have taken up, had there been room for another request.
    if (limitAhead(recorded) !== undefined) return state.queue;
    for (const event of recorded.ahead()) {
      if (isHeldBack(event)) continue;
      if (event.type !== 'entry.completed' || event.entry.type !== 'message') break;
      const { messageId } = event.entry;
      const queued = state.queue.find((message) => message.messageId === messageId);
      if (queued === undefined) break;
      joining.push(queued);
    }
    return joining;
  };
  // Whatever came from outside has told how late it was by then, and the turn had looked at the time before.
  const active = (): SessionState['active'] => {
    const turn = state.active;
    if (turn?.limits.maxDurationMs === undefined || isOutOfTime(recorded)) return turn;
    // Its time may have been over when it was taken up.
    if (isStarting() && isNotStarted(recorded.next())) return turn;
    return Object.create(turn, { workedMs: { value: 0 } }) as ActiveTurn;
  };
  return Object.create(state, { queue: { get: queue }, active: { get: active } }) as SessionState;
}

function questionsOf(state: SessionState, callId: string): (OpenSignIn | OpenClientToolCall)[] {
  const questions: (OpenSignIn | OpenClientToolCall)[] = [];
  for (const { callback } of state.callbacks.values()) {
    if (callback.type !== 'sign_in' && callback.type !== 'client_tool') continue;
    if (callOf({ type: 'callback.opened', callback } as AnyEvent) === callId) questions.push(callback);
  }
  return questions;
}
