import type { AnyEvent, SessionEvent } from '@rondo/protocol';
import { applyEvent } from '../event/apply-event.ts';
import { emptySessionState } from '../event/session-state.ts';
import { hooksAt } from '../hook/loop-hook.ts';
import type { Binding } from '../turn/binding.ts';
import { compareRuns, type TodaysRun } from './compare-runs.ts';
import { type HookPlace, hookPlacesBefore } from './hook-places.ts';
import { judgedPiece, type JudgedPiece } from './judged-piece.ts';
import { judgeCallToday, type JudgedToday } from './judge-call-today.ts';
import type { LaneState } from './lane-state.ts';
import type { RecordedCall } from './recorded-calls.ts';
import { runHooksToday } from './run-hooks-today.ts';
import { createTodayTurns, type TodayTurn } from './today-turn.ts';

/** Lets today's hooks and policy decide what a session's log says was decided, place by place. */
export interface TodayJudge {
  /** @param events the next piece of the log. */
  judge(events: readonly AnyEvent[]): Promise<void>;
}

/** An event of the session's turn, and what is known when it comes. */
interface Moment {
  readonly event: SessionEvent;
  readonly bound: Binding;
  readonly piece: JudgedPiece;
}

const decidedElsewhere = 'calls that hooks of events, such as PreToolUse, had a say in are not judged anew';

export function createTodayJudge(lane: LaneState): TodayJudge {
  const { findings, world } = lane;
  // Every place is judged in the session as its log has it there, whatever was decided otherwise before.
  const state = emptySessionState(lane.state.sessionId);
  const turns = createTodayTurns({ world, state });
  const { sessionId } = state;
  const judged = new Set<string>();
  let isFork = false;

  async function judgePlace(place: HookPlace, { event, bound, piece }: Moment): Promise<void> {
    const { point, id, call } = place;
    const name = `${point}/${id}`;
    const { active } = state;
    if (active === undefined || judged.has(name)) return;
    judged.add(name);
    const recorded = piece.runs.at(name);
    const there = new Set(hooksAt(bound, point).map((hook) => hook.name));
    if (there.size === 0 && recorded.length === 0 && point !== 'preToolCall') return;
    const today = turns.create({ active, bound, at: event.at, recorded });
    let runs: readonly TodaysRun[] = today.runs;
    if (point === 'preToolCall') await judgeCall(today, call, { event, bound, piece });
    else if (there.size > 0) runs = await runHooksToday(today, { place, active, piece, note: findings.note });
    findings.counts.hookRuns += runs.length;
    const { seq } = event;
    const { turnId } = active;
    const ofCall = call === undefined ? {} : { callId: call.callId, tool: call.name };
    for (const change of compareRuns({ recorded, today: runs, isThere: (hook) => there.has(hook) }))
      findings.hookChanges.push({ seq, sessionId, turnId, point, ...ofCall, ...change });
  }

  async function judgeCall(today: TodayTurn, call: RecordedCall | undefined, { event, bound, piece }: Moment) {
    if (call !== undefined && piece.runs.isDecidedElsewhere(call.callId)) findings.note(decidedElsewhere);
    const known = call && piece.fitting(call, call.block.input, bound);
    if (call === undefined || known === undefined) return;
    const verdicts = await judgeCallToday(today, known, piece.runs);
    if (verdicts === undefined) return;
    // Of those that came to the policy, the replay of their turn has counted the decisions.
    if (call.decided?.reasonType === 'hook') findings.counts.decisions += 1;
    compareVerdicts(verdicts, call, event);
  }

  function compareVerdicts({ recorded, today }: JudgedToday, call: RecordedCall, event: SessionEvent): void {
    if (recorded.decision === today.decision) return;
    const { callId, name: tool, opened, decided } = call;
    const { seq } = opened ?? decided ?? event;
    const turnId = state.active?.turnId ?? '';
    findings.changes.push({ seq, sessionId, turnId, callId, tool, recorded, today });
  }

  function noteHooks(then: readonly string[], { guardrails = [], hooks = [], eventHooks = [] }: Binding): void {
    const today = [...guardrails, ...hooks].map(({ name }) => name);
    const known = new Set([...today, ...eventHooks.map(({ name }) => name)]);
    for (const name of then) if (!known.has(name)) findings.note(`the hook "${name}" is gone today`);
    for (const name of today) if (!then.includes(name)) findings.note(`the hook "${name}" is new today`);
  }

  async function judgeBefore(moment: Moment): Promise<void> {
    const { event, piece } = moment;
    const { active } = state;
    if (event.type === 'hook.completed') turns.onRecorded(event);
    if (active === undefined || !('turnId' in event) || event.turnId !== active.turnId) return;
    for (const place of hookPlacesBefore(event, { active, calls: piece.calls, replies: piece.replies }))
      await judgePlace(place, moment);
  }

  return {
    async judge(events) {
      const { bound } = lane;
      isFork ||= events.some((event) => event.type === 'session.created' && event.forkedFrom !== undefined);
      // What a fork took along was decided elsewhere.
      const isOwn = !isFork || events.some(({ type }) => type === 'model.requested');
      const piece = judgedPiece(events);
      for (const event of events) {
        const isJudged = bound !== undefined && isOwn && event.type !== 'unknown';
        if (isJudged) await judgeBefore({ event, bound, piece });
        applyEvent(state, event);
        if (isJudged && event.type === 'turn.started') noteHooks(event.binding.hooks, bound);
      }
      judged.clear();
    },
  };
}
