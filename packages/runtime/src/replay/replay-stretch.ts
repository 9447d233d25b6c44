import type { AnyEvent, SessionEvent } from '@rondo/protocol';
import { isRondoError } from '@rondo/protocol/values';
import type { EventDraft } from '../event/event-draft.ts';
import { parentIdOf } from '../event/session-tree-id.ts';
import type { ModelMessage } from '../model/model.ts';
import { createSessionPolicy } from '../session/session-policy.ts';
import { deferringReply } from '../turn/deferred-call.ts';
import { loadEventPoints } from '../turn/event-points.ts';
import { settleTurn } from '../turn/settle-turn.ts';
import { compareSaid, divergenceAt } from './compare-said.ts';
import { judgeLive } from './judge-live.ts';
import { applyFact, type LaneState } from './lane-state.ts';
import { recordedCalls } from './recorded-calls.ts';
import {
  isLastReply,
  isStoppedAtOnce,
  isStoppedBehind,
  isSpawnResult,
  settlementCauseOf,
  type StopCause,
  stopCauseOf,
} from './recorded-ending.ts';
import { createRecordedEvents } from './recorded-events.ts';
import { createRecordedJudge } from './recorded-judge.ts';
import { createRecordedModel } from './recorded-model.ts';
import { replayBinding } from './replay-binding.ts';
import { createReplayGates, type ReplayGates } from './replay-gates.ts';
import { createReplayOwner, type ReplayOwner } from './replay-owner.ts';

/**
 * Replays a piece of a session's log that ends with a turn, or with the log: what came from outside is taken from it, what
 * the turn says about it is said again by the turn and compared. The turn's owner may change on the way, as it did.
 */
export async function replayStretch(lane: LaneState, events: readonly AnyEvent[]): Promise<void> {
  const { state, findings } = lane;
  // While it loads, nothing else would be seen to be at work.
  await loadEventPoints();
  const recorded = createRecordedEvents(events);
  const calls = recordedCalls(events, deferringReply(state)?.entry);
  const policyToday = createSessionPolicy(state);
  let stopCause: StopCause | undefined;
  const asks = events.some(({ type }) => type === 'model.requested');
  let messages: readonly ModelMessage[] = [];
  let gates: ReplayGates | undefined;
  let owner: ReplayOwner | undefined;
  /** Everything said now is an answer's, event for event. */
  let isAnswering = false;

  function apply(event: AnyEvent): void {
    recorded.advance();
    if (event.type === 'session.created' && event.forkedFrom !== undefined) lane.isFork = true;
    if (event.type === 'unknown') findings.note(`events of a newer type (${event.originalType}) were passed over`);
    applyFact(lane, event);
  }

  /** Takes in what came from outside, up to what the turn says next. An answer waits until it is waited for. */
  function admit(isForced = false): void {
    for (;;) {
      const event = recorded.current();
      if (event === undefined || event === recorded.next() || isBoundary(event)) return;
      const isWaitedFor =
        event.type !== 'callback.resolved' || owner?.isRunning() !== true || owner.waitsFor(event.callbackId);
      if (!isForced && !isWaitedFor) return;
      takeIn(event);
    }
  }

  /** An answer goes through the questions' desk, which says what follows from it. */
  function takeIn(event: AnyEvent): void {
    if (event.type === 'callback.resolved' && event.answer !== undefined) answer(owner ?? takeOver(), event);
    else apply(event);
  }

  function answer({ desk }: ReplayOwner, event: Extract<SessionEvent, { type: 'callback.resolved' }>): void {
    if (event.answer === undefined) return;
    const before = recorded.place();
    isAnswering = true;
    desk.answer(event.callbackId, event.answer, event.by ?? 'client').catch((error: unknown) => {
      // Else the log ends here.
      if (!isRondoError(error)) return;
      findings.diverge(divergenceAt(event, { path: 'answer', recorded: null, replayed: null }, error.message));
    });
    isAnswering = false;
    if (recorded.place() === before && findings.divergence() === undefined) apply(event);
  }

  function ownerOf(own: ReplayGates): ReplayOwner {
    const say = (drafts: readonly EventDraft[]): SessionEvent[] | undefined => {
      if (gates !== own || findings.divergence() !== undefined) return undefined;
      const said: SessionEvent[] = [];
      for (const draft of drafts) {
        // While a question below is open, the turn stays blocked whatever else is answered.
        const isDropped = draft.type === 'turn.updated' && recorded.current()?.type !== 'turn.updated';
        if (isDropped && state.active?.blocked === true) continue;
        // What is allowed for the session is allowed in the tree, and said by its root.
        if (draft.type === 'session.updated' && parentIdOf(state.sessionId) !== undefined) continue;
        const isHere = isAnswering || isRunningAgain(draft, recorded.current());
        if (!isHere) admit(true);
        const event = isHere ? recorded.current() : recorded.nextFor(draft);
        // Its owner died, or the log ends, before this was stored.
        if (event === undefined || event.type === 'unknown' || isBoundary(event)) {
          own.giveUp();
          return undefined;
        }
        const divergence = compareSaid(draft, event, { lane, calls, messages });
        if (divergence !== undefined) {
          findings.diverge(divergence);
          own.giveUp();
          return undefined;
        }
        findings.counts.compared += 1;
        if (!recorded.isEarly(event)) apply(event);
        for (let due = recorded.current(); recorded.isEarly(due); due = recorded.current()) if (due) apply(due);
        said.push(event);
      }
      stopWhereItWas(said);
      own.moved();
      return said;
    };
    const judge = createRecordedJudge({
      recorded,
      calls,
      gates: own,
      stop,
      judgeLive: (...judged) => judgeLive({ lane, gates: own, policyToday }, ...judged),
    });
    return createReplayOwner({
      world: lane.world,
      state,
      recorded,
      gates: own,
      judge,
      say,
      isAnsweredTooLate(callId) {
        const call = calls.all.get(callId);
        return call?.completed?.outcome === 'interrupted' && call.decided === undefined && call.started === undefined;
      },
      stopCause: () => stopCause ?? 'interrupted',
      onBuilt(built) {
        messages = built;
      },
    });
  }

  function takeOver(): ReplayOwner {
    const own = createReplayGates(admit);
    gates = own;
    return (owner = ownerOf(own));
  }

  /** Stops the turn as a person did. */
  function stop(): void {
    if (stopCause !== undefined && owner?.isStopped() === false) void owner.stop(stopCause);
  }

  function stopWhereItWas(said: readonly SessionEvent[]): void {
    if (owner?.isRunning() === true && isStoppedBehind(said, recorded, calls)) stop();
  }

  /** A reply came whole, and may have been the last thing before the turn was stopped. */
  function onReply(): void {
    if (isLastReply(recorded, calls)) stop();
  }

  function startTurn(turnId: string): void {
    const { active } = state;
    if (active === undefined) return;
    const working = owner ?? takeOver();
    const own = gates;
    if (own === undefined) return;
    const { bound } = lane;
    stopCause = stopCauseOf([...recorded.ahead()], events);
    const name = active.binding.model;
    const model = createRecordedModel({
      name,
      recorded,
      gates: own,
      bound: bound?.model.name === name ? bound.model : undefined,
      onAsked: working.onAsked,
      onReply,
    });
    const live = findings.runsTools ? { onCall: () => void (findings.counts.liveCalls += 1) } : undefined;
    const tools = { recorded, calls, gates: own, questionsOf: working.questionsOf, live };
    working.run(
      turnId,
      replayBinding({
        record: active.binding,
        model,
        bound,
        isSameAgent: lane.isSameAgent,
        tools,
        isStopped: working.isStopped,
      }),
    );
    if (isStoppedAtOnce([...recorded.ahead()], calls)) stop();
  }

  /** Takes up an unfinished turn as its owner did: settles it, works on, or leaves it alone. */
  async function takeUp(turnId: string): Promise<void> {
    const section = [...recorded.ahead()];
    const cause = settlementCauseOf(section, state.parked.has(turnId));
    if (cause === undefined) return startTurn(turnId);
    // How subagents ended is known of their sessions.
    for (let event = recorded.current(); event !== undefined && isSpawnResult(event); event = recorded.current())
      apply(event);
    const { emit } = owner ?? takeOver();
    await settleTurn({ turnId, state, emit }, { type: 'interrupted', cause, terminalReason: 'aborted_tools' }).catch(
      () => {},
    );
  }

  async function leave(): Promise<void> {
    const gone = owner;
    gates?.giveUp();
    gates = undefined;
    owner = undefined;
    gone?.desk.leave();
    await gone?.stop('closing');
  }

  /** Waits until the turn has said more, or can say no more. */
  async function progress(working: ReplayOwner): Promise<void> {
    const before = recorded.place();
    const hasMoved = (): boolean => recorded.place() !== before || findings.divergence() !== undefined;
    await gates?.rest();
    if (hasMoved()) return;
    admit(true);
    if (hasMoved()) return gates?.moved();
    const next = recorded.next();
    if (next === undefined) return await leave();
    if (working.isRunning() && stopCause !== undefined && !working.isStopped()) return stop();
    const { message } = working.failure() ?? {};
    const evidence = message === undefined ? 'the turn does not come to this event' : `the turn failed: ${message}`;
    findings.diverge(divergenceAt(next, { path: '', recorded: next.type, replayed: undefined }, evidence));
  }

  for (let event = recorded.current(); event !== undefined; event = recorded.current()) {
    if (findings.divergence() !== undefined) break;
    if (event.type === 'session.acquired') {
      await leave();
      apply(event);
    } else if (event.type === 'turn.started') {
      apply(event);
      findings.counts.turns += 1;
      const { turnId } = event;
      for (let entry = recorded.current(); isStart(entry, turnId); entry = recorded.current()) if (entry) apply(entry);
      if (!lane.isFork || asks) startTurn(turnId);
    } else if (lane.isFork && !asks) {
      findings.note('turns that a fork took along were said in another session and are taken as the log has them');
      apply(event);
    } else if (owner?.isRunning() === true) await progress(owner);
    else {
      const next = recorded.next();
      const active = state.active?.turnId;
      const isOwn = next !== undefined && 'turnId' in next && next.turnId === active;
      const isAnnounced = ['notice', 'turn.updated', 'session.updated', 'message.queued'].includes(event.type);
      const isTaken = active !== undefined && isOwn && !state.parked.has(active) && (!isAnnounced || event === next);
      const isSettled = active !== undefined && event === next && state.parked.has(active);
      const place = recorded.place();
      if (active !== undefined && (isTaken || isSettled)) {
        await takeUp(active);
        if (owner?.isRunning() !== true && recorded.place() === place && findings.divergence() === undefined)
          findings.diverge(
            divergenceAt(event, { path: '', recorded: event.type, replayed: undefined }, 'nothing says it'),
          );
      } else if (event === next) apply(event);
      else takeIn(event);
    }
  }
  await leave();
}

function isBoundary(event: AnyEvent): boolean {
  return event.type === 'session.acquired' || event.type === 'turn.started';
}

/** With the last of its questions withdrawn, the turn itself says what else an answer says. */
function isRunningAgain(said: EventDraft, event: AnyEvent | undefined): boolean {
  if (said.type !== 'turn.updated' || event?.type !== 'turn.updated') return false;
  return said.status === 'running' && event.status === 'running';
}

/** What a turn was started with: its messages, and a text about its surroundings. */
function isStart(event: AnyEvent | undefined, turnId: string): boolean {
  return event?.type === 'entry.completed' && event.turnId === turnId && event.entry.type === 'message';
}
