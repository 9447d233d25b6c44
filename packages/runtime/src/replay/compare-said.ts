import type { AnyEvent, SessionEvent } from '@rondo/protocol';
import type { EventDraft } from '../event/event-draft.ts';
import type { ModelMessage } from '../model/model.ts';
import { checkRequest } from './check-request.ts';
import { compareEvents, type Difference } from './compare-events.ts';
import { evidentDecision } from './recorded-judge.ts';
import type { RecordedCalls } from './recorded-calls.ts';
import type { Divergence } from './replay-report.ts';
import type { LaneState } from './lane-state.ts';
import { takenFields } from './taken-fields.ts';

export interface SaidContext {
  readonly lane: LaneState;
  readonly calls: RecordedCalls;
  /** What was built for the model last. */
  readonly messages: readonly ModelMessage[];
}

/** Compares what the turn says now with what it said then. Answers with where they part, if they do. */
export function compareSaid(said: EventDraft, event: SessionEvent, context: SaidContext): Divergence | undefined {
  const { lane, calls } = context;
  const difference = compareEvents(event, said, takenFields(event, lane.bound, calls));
  if (difference !== undefined) return causeOf(difference, said, event, context);
  if (event.type !== 'model.requested' || said.type !== 'model.requested') return undefined;
  const { findings, facts } = lane;
  findings.counts.requests += 1;
  if (event.requestHash === undefined) findings.note(noHash);
  if (event.parts === undefined || said.parts === undefined || findings.mode === 'behavioural') return undefined;
  const { sha256 } = lane.world;
  const isBound = lane.bound !== undefined && lane.isSameAgent;
  const found = checkRequest({
    recorded: event,
    replayed: said.parts,
    messages: context.messages,
    facts,
    isBound,
    sha256,
  });
  if (found === undefined) {
    // What was said before is proved by it; the reply to it comes next.
    lane.facts = [];
    return undefined;
  }
  const { event: source = event, evidence, ...rest } = found;
  return divergenceAt(source, rest, evidence);
}

const noHash =
  'requests were logged without their hash, by a version that did not write it; they were compared by what follows from the log alone';

/** Some differences show in what follows from an event, not in the event that was another. */
function causeOf(difference: Difference, said: EventDraft, event: SessionEvent, context: SaidContext): Divergence {
  const { lane, calls } = context;
  if (event.type === 'turn.ended' && /^record\.(text|toolCalls)/.test(difference.path)) {
    const reply = lane.facts.findLast((fact) => fact.type === 'entry.completed' && fact.entry.type === 'assistant');
    const evidence = `the record of event ${event.seq} has another ${difference.path.startsWith('record.text') ? 'text' : 'call'}`;
    // Recorded and replayed change places: the loop took the reply as the log has it.
    const path = 'entry.content';
    if (reply !== undefined)
      return divergenceAt(reply, { path, recorded: difference.replayed, replayed: difference.recorded }, evidence);
  }
  if (event.type === 'tool.decided' && said.type === 'tool.decided' && difference.path === 'decision') {
    const call = calls.all.get(event.callId);
    const answer = call?.resolved;
    if (answer !== undefined && evidentDecision(call ?? never()) === event.decision && answer.seq < event.seq) {
      const evidence = `the decision of event ${event.seq} and what followed from it are of another answer`;
      const recorded = answer.answer?.type;
      return divergenceAt(answer, { path: 'answer.type', recorded, replayed: event.decision }, evidence);
    }
  }
  return divergenceAt(event, difference);
}

function never(): never {
  throw new Error('a call that was answered is a call');
}

export function divergenceAt(event: AnyEvent, difference: Difference, evidence?: string): Divergence {
  const { seq, id, sessionId, type } = event;
  const turnId = 'turnId' in event ? event.turnId : undefined;
  return {
    seq,
    id,
    sessionId,
    ...(turnId === undefined ? {} : { turnId }),
    type,
    ...difference,
    ...(evidence === undefined ? {} : { evidence }),
  };
}
