import type { Judge, Judged } from '../permission/permission-gate.ts';
import { isAllowedOnly, type RecordedCall, type RecordedCalls } from './recorded-calls.ts';
import type { RecordedEvents } from './recorded-events.ts';
import { nextIsOf } from './recorded-tool.ts';
import type { ReplayGates } from './replay-gates.ts';

export interface RecordedJudgeOptions {
  readonly recorded: RecordedEvents;
  readonly calls: RecordedCalls;
  readonly gates: ReplayGates;
  /** Stops the turn, as it was stopped then. */
  readonly stop: () => void;
  /** What today's policy says of a call that is to run today, where one is. */
  readonly judgeLive: (call: RecordedCall, ...judged: Parameters<Judge>) => Promise<Judged | undefined>;
}

/** Decides as it was decided, and when. */
export function createRecordedJudge({ recorded, calls, gates, stop, judgeLive }: RecordedJudgeOptions): Judge {
  return async (gate, toPermit, answered) => {
    // A question that is open already is waited for again at once.
    if (toPermit.openCallbackId === undefined || answered)
      await gates.until(() => nextIsOf(recorded, toPermit.callId) || endsWithRequests(recorded));
    const call = calls.all.get(toPermit.callId);
    if (call === undefined) return unknown;
    const today = await judgeLive(call, gate, toPermit, answered);
    const isDecided = call.opened === undefined || answered;
    if (isDecided && isAllowedOnly(call) && recorded.following()?.type === 'tool.decided') stop();
    const judged = judgement(call, answered || toPermit.openCallbackId !== undefined);
    return today === undefined ? judged : { ...judged, places: today.places };
  };
}

/** The calls were stored ahead of a question, and its owner died before that was. */
function endsWithRequests(recorded: RecordedEvents): boolean {
  return recorded.following() === undefined && recorded.next() !== undefined;
}

const places: ReadonlySet<string> = new Set();
const unknown: Judged = { decision: 'ask', step: 'question', reasonType: 'default', reason: '', places };

function judgement(call: RecordedCall, isAsked: boolean): Judged {
  const { decided, opened } = call;
  if (!isAsked && opened?.callback.type === 'approval') {
    const { reason, reasonType, suggestions, blockedPath } = opened.callback.request;
    return {
      decision: 'ask',
      step: 'question',
      reasonType: reasonType ?? 'default',
      reason: reason ?? '',
      ...(suggestions === undefined ? {} : { suggestions }),
      ...(blockedPath === undefined ? {} : { blockedPath }),
      places,
    };
  }
  const isUnattended = decided?.reasonType === 'unattended';
  if (decided === undefined || (!isAsked && call.hooksAsked === true && !isUnattended)) return unknown;
  const { reasonType, rule, source } = decided;
  const decision = isAsked && (reasonType === 'callback' || reasonType === 'hook') ? 'allow' : evidentDecision(call);
  return {
    decision,
    step: 'question',
    reasonType,
    reason: (decision === 'deny' ? evidentReason(call) : undefined) ?? decided.reason ?? '',
    ...(rule === undefined ? {} : { rule }),
    ...(source === undefined ? {} : { source }),
    places,
  };
}

/** What followed tells how a call was decided; where nothing did, its decision does. */
export function evidentDecision({ decided, started, completed }: RecordedCall): 'allow' | 'deny' {
  if (started !== undefined) return 'allow';
  if (completed?.outcome === 'denied') return 'deny';
  return completed?.outcome === 'not_started' ? 'allow' : (decided?.decision ?? 'allow');
}

function evidentReason({ name, completed }: RecordedCall): string | undefined {
  const [first] = completed?.content ?? [];
  const prefix = `This call of ${name} was denied: `;
  return first?.type === 'text' && first.text.startsWith(prefix) ? first.text.slice(prefix.length) : undefined;
}
