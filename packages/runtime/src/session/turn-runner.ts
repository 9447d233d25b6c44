import type { KnownOpenCallback, OpenApproval } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import type { CallbackDesk, CallbackOutcome } from '../callback/callback-desk.ts';
import type { ContextBuilder } from '../context/context-builder.ts';
import type { EventDraft } from '../event/event-draft.ts';
import type { SessionState } from '../event/session-state.ts';
import type { Judge } from '../permission/permission-gate.ts';
import { type JudgeChange, policyInForce } from '../permission/live-policy.ts';
import { policyHash } from '../permission/policy-hash.ts';
import type { Policy } from '../permission/policy.ts';
import type { Binding } from '../turn/binding.ts';
import { runTurn } from '../turn/run-turn.ts';
import type { OpenReply, TurnParts, TurnStop } from '../turn/turn-parts.ts';
import type { EventFeed, EventFeedOptions } from './event-feed.ts';
import { replySnapshot } from './reply-snapshot.ts';
import type { SessionServices } from './session-services.ts';
import { transcriptsOf } from './session-transcripts.ts';
import type { SessionWriter } from './tree-writer.ts';

export interface TurnRunnerOptions {
  readonly services: SessionServices;
  /** Names the log, and what is beside it. */
  readonly rootId: string;
  readonly state: SessionState;
  readonly writer: SessionWriter;
  readonly desk: CallbackDesk;
  readonly context: ContextBuilder;
  /** Absent where every item is whole. */
  readonly wholeItem?: TurnParts['wholeItem'];
  readonly policy: (binding: Binding) => Policy;
  /** Judges calls in the policy's place. */
  readonly judge?: Judge;
  /** What is stored when these changes are made to what the session may do. Absent: nothing, as in a replay. */
  readonly permissionFacts?: TurnParts['permissionFacts'];
  readonly inOrder?: TurnParts['inOrder'];
  readonly wantsDeltas: EventFeed['wantsDeltas'];
  /** The turn has ended, and nothing runs. */
  readonly onEnded: () => Promise<void>;
  readonly onFailed: (error: unknown) => void;
}

/** The one turn that a session works on at a time. */
export interface TurnRunner {
  run(turnId: string, binding: Binding, isSpentAbove?: TurnParts['isSpentAbove']): void;
  /** The turn that is running here. A turn that only the log says is open is not. */
  runningTurnId(): string | undefined;
  /** Tells the running turn to stop; resolves when it has. */
  stop(cause: TurnStop['cause']): Promise<void>;
  /** What whoever starts watching now has missed of the message being written. */
  snapshot(): ReturnType<EventFeedOptions['snapshot']>;
  /** Resolves when nothing runs any more. */
  settled(): Promise<void>;
}

interface RunningTurn {
  readonly turnId: string;
  readonly controller: AbortController;
  readonly ended: Promise<void>;
  readonly done: Promise<void>;
}

export function createTurnRunner(options: TurnRunnerOptions): TurnRunner {
  const { services, state, writer, desk } = options;
  let running: RunningTurn | undefined;
  let openReply: OpenReply | undefined;
  /** What is asked beside the conversation since the last turn ended. */
  let suggesting: { readonly controller: AbortController; readonly done: Promise<void> } | undefined;

  function turnParts(
    turnId: string,
    binding: Binding,
    controller: AbortController,
    isSpentAbove: TurnParts['isSpentAbove'],
  ): TurnParts {
    const { signal } = controller;
    let held: EventDraft[] = [];
    const emit: TurnParts['emit'] = (drafts) => {
      // A session that is given up leaves its turn as it stands, also while hooks of the session still hear of its end.
      if (signal.aborted && (signal.reason as TurnStop).cause === 'closing')
        throw new RondoError('channel.closed', `session ${state.sessionId} was closed`);
      const all = held.length === 0 ? drafts : [...held, ...drafts];
      held = [];
      if (all.length > 0) return writer.emit(all);
      return {
        events: [],
        get committed() {
          return writer.flushed();
        },
      };
    };
    const parts: TurnParts = {
      sessionId: state.sessionId,
      turnId,
      state,
      binding,
      policy: () => options.policy(binding),
      refreshPolicy: binding.livePolicy === undefined ? undefined : () => refreshPolicy(binding, parts),
      judge: options.judge,
      inOrder: options.inOrder,
      context: options.context,
      clock: services.clock,
      newId: services.newId,
      random: services.random,
      sha256: services.sha256,
      signal,
      stop: (cause) => controller.abort({ type: 'turn-stop', cause } satisfies TurnStop),
      wholeItem: options.wholeItem ?? ((item) => Promise.resolve(item)),
      outputDirectory: services.store.outputDirectory(options.rootId) ?? '',
      ...transcriptsOf(services.store, binding.transcripts, { ...options, sessionId: state.sessionId, writer }),
      permissionFacts: (updates) => options.permissionFacts?.(updates) ?? [],
      emit,
      hold(drafts) {
        held.push(...drafts);
      },
      shows: options.wantsDeltas,
      show(transient) {
        if (options.wantsDeltas()) writer.show(transient());
      },
      openReply(reply) {
        openReply = reply;
      },
      ask(callback) {
        // The call that is asked about is in the log before its question.
        emit([]);
        return ask(callback, binding, signal);
      },
      withdraw: desk.withdraw,
      resolvePath: services.resolvePath,
      foldCase: services.foldCase,
      isSpentAbove,
      joining: () => state.queue.filter((message) => message.delivery === 'join'),
    };
    return parts;
  }

  /** What changed or broke is told in the log before the decision that it bears on. */
  function refreshPolicy(binding: Binding, turn: TurnParts): Promise<void> | undefined {
    const { turnId } = turn;
    const live = binding.livePolicy;
    const tell = (): void => {
      const notices = live?.takeNotices(options.rootId) ?? [];
      if (notices.length === 0) return;
      const facts = { policyHash: policyHash(policyInForce(binding), services.sha256) };
      writer.emit(
        notices.map(({ details, ...said }) => ({ type: 'notice', turnId, ...said, details: { ...details, ...facts } })),
      );
    };
    // What runs hooks is loaded where there are any.
    const judge: JudgeChange = async (change) => {
      const { changeJudge } = await import('../turn/change-judge.ts');
      return await changeJudge(turn)(change);
    };
    const isJudged = binding.eventHooks?.some(({ event }) => event === 'ConfigChange') === true;
    const refreshed = live?.refresh(isJudged ? judge : undefined);
    if (refreshed !== undefined) return refreshed.then(tell);
    tell();
    return undefined;
  }

  async function ask<Question extends KnownOpenCallback>(
    callback: Question,
    binding: Binding,
    signal: AbortSignal,
  ): Promise<CallbackOutcome<Question>> {
    const answered = desk.ask(callback);
    const onAbort = (): void => {
      if ((signal.reason as TurnStop).cause === 'closing') desk.leave();
      else desk.close(callback.id);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    const settled = new AbortController();
    if (callback.type === 'approval') void askBound(callback, binding, settled.signal);
    try {
      return await answered;
    } finally {
      signal.removeEventListener('abort', onAbort);
      settled.abort(signal.reason);
    }
  }

  /**
   * Puts the question to the function bound for it, while it is open. Whatever goes wrong there, it stays open.
   * @param signal aborts when the question is settled, by whomever.
   */
  async function askBound(callback: OpenApproval, binding: Binding, signal: AbortSignal): Promise<void> {
    const asker = binding.asker;
    if (asker === undefined || state.callbacks.get(callback.id)?.settled === true) return;
    try {
      await desk.opened(callback.id);
      if (signal.aborted) return;
      const answer = await asker.ask(callback, { signal });
      if (answer !== undefined) await desk.answer(callback.id, answer, asker.name);
    } catch (error) {
      if (signal.aborted || state.callbacks.get(callback.id)?.settled !== false) return;
      const message = error instanceof Error ? error.message : String(error);
      writer.emit([
        {
          type: 'notice',
          turnId: callback.turnId,
          level: 'error',
          message: `${asker.name} failed to answer a question, which stays open: ${message}`,
          details: { callbackId: callback.id },
        },
      ]);
    }
  }

  /** Once a turn has completed and nobody waits to say more. */
  function suggest(parts: TurnParts, ended: NonNullable<SessionState['active']>): void {
    const isCompleted = state.records.get(parts.turnId)?.type === 'completed';
    if (!isCompleted || state.queue.length > 0 || parts.signal.aborted) return;
    const controller = new AbortController();
    const done = import('../turn/suggest-prompt.ts').then(({ suggestPrompt }) =>
      suggestPrompt(parts, ended, controller.signal),
    );
    suggesting = { controller, done: done.catch(() => {}) };
  }

  return {
    run(turnId, binding, isSpentAbove) {
      suggesting?.controller.abort();
      const controller = new AbortController();
      const parts = turnParts(turnId, binding, controller, isSpentAbove);
      const { active } = state;
      // What is asked beside the conversation reads it, as the turn does.
      const started = suggesting === undefined ? runTurn(parts) : suggesting.done.then(() => runTurn(parts));
      const ended = started.catch(options.onFailed);
      const done = ended.then(() => {
        openReply = undefined;
        if (running?.turnId === turnId) running = undefined;
        if (binding.suggestsPrompts === true && active !== undefined) suggest(parts, active);
        return options.onEnded();
      });
      running = { turnId, controller, ended, done };
    },
    runningTurnId: () => running?.turnId,
    async stop(cause) {
      running?.controller.abort({ type: 'turn-stop', cause } satisfies TurnStop);
      suggesting?.controller.abort();
      await Promise.all([running?.ended, suggesting?.done]);
    },
    snapshot() {
      if (openReply === undefined || running === undefined) return { behind: state.seq, deltas: [] };
      const place = { sessionId: state.sessionId, turnId: running.turnId, after: state.cursor };
      return { behind: state.seq, deltas: replySnapshot(openReply, place) };
    },
    async settled() {
      while (running !== undefined) await running.done;
    },
  };
}
