import type { AssistantEntry, JsonValue, MessageEntry } from '@rondo/protocol';
import { textOf } from '../event/apply-event.ts';
import type { EventDraft } from '../event/event-draft.ts';
import { parentIdOf } from '../event/session-tree-id.ts';
import { backgroundContexts } from '../hook/background-hooks.ts';
import type { BatchedCall, HookInputs } from '../hook/hook-input.ts';
import type { HookVerdict } from '../hook/merge-answers.ts';
import { hasEventHooks, runEventHooks } from '../hook/run-event-hooks.ts';
import { aborted, endedByHook } from './agent-turn-hooks.ts';
import type { TurnOutcome } from './end-turn.ts';
import { contextFacts, isBlocking, placedId } from './event-facts.ts';
import type { TurnParts } from './turn-parts.ts';

/** How often in one turn hooks may keep it from its end. */
export const MAX_STOP_BLOCKS = 8;

/** `Setup` and `SessionStart`, or `SubagentStart`: before the first request of a turn that begins one. */
export async function beginSession(turn: TurnParts): Promise<TurnOutcome | undefined> {
  const { state, binding, turnId, sessionId } = turn;
  if ((state.active?.modelRequests ?? 0) > 0) return undefined;
  if (parentIdOf(sessionId) !== undefined) {
    const agent = { agent_id: sessionId, agent_type: binding.agent.name };
    return await toldAt(turn, { event: 'SubagentStart', id: turnId, subject: binding.agent.name, input: agent });
  }
  const isNew = state.turns.size <= 1;
  if (isNew && binding.setup !== undefined) {
    const input = { trigger: binding.setup };
    const ended = await toldAt(turn, { event: 'Setup', id: turnId, subject: binding.setup, input });
    if (ended !== undefined) return ended;
  }
  const known = state.sessionStart;
  if (known !== undefined && known.epoch === state.epoch && known.turnId !== turnId) return undefined;
  return await startSession(turn, isNew ? 'startup' : 'resume');
}

/** Tells that the session begins, or begins anew; `clear` and `compact` are for whoever does that. */
export async function startSession(
  turn: TurnParts,
  source: HookInputs['SessionStart']['source'],
): Promise<TurnOutcome | undefined> {
  const input = { source, model: turn.binding.model.name };
  return await toldAt(turn, { event: 'SessionStart', id: turn.turnId, subject: source, input });
}

type ToldPlace = Pick<Parameters<typeof runEventHooks>[1], 'id' | 'subject'> &
  (
    | { readonly event: 'Setup'; readonly input: HookInputs['Setup'] }
    | { readonly event: 'SessionStart'; readonly input: HookInputs['SessionStart'] }
    | { readonly event: 'SubagentStart'; readonly input: HookInputs['SubagentStart'] }
  );

async function toldAt(turn: TurnParts, place: ToldPlace): Promise<TurnOutcome | undefined> {
  const follow = ({ contexts }: HookVerdict): EventDraft[] =>
    contextFacts(turn, `${place.event}/${place.id}`, contexts);
  const verdict = await runEventHooks(turn, { ...place, follow });
  return verdict === undefined ? aborted : endedByHook(turn);
}

/**
 * `UserPromptSubmit`, for each message that the model has not answered, joined ones too. One that is blocked is
 * discarded; where nothing else was said, that ends the turn.
 */
export async function judgePrompts(turn: TurnParts): Promise<TurnOutcome | undefined> {
  const { active } = turn.state;
  if (active === undefined || parentIdOf(turn.sessionId) !== undefined) return undefined;
  if (!hasEventHooks(turn.binding, 'UserPromptSubmit')) return undefined;
  for (const id of active.unanswered.slice()) {
    const item = turn.state.conversation.findLast((one) => one.kind === 'message' && one.entry.id === id);
    const whole = item === undefined ? undefined : await turn.wholeItem(item);
    if (whole?.kind !== 'message') continue;
    const isOnly = active.unanswered.length === 1 && active.modelRequests === 0;
    const verdict = await runEventHooks(turn, {
      event: 'UserPromptSubmit',
      id,
      input: { prompt: textOf(whole.entry.content) },
      ends: (outcome) => isOnly && isBlocking(outcome),
      follow: (judged) => afterPromptJudged(turn, id, judged),
    });
    if (verdict === undefined) return aborted;
    const ended = endedByHook(turn);
    if (ended !== undefined) return ended;
  }
  return undefined;
}

function afterPromptJudged(turn: TurnParts, entryId: string, verdict: HookVerdict): EventDraft[] {
  const { turnId } = turn;
  if (verdict.decision !== 'deny') return contextFacts(turn, `UserPromptSubmit/${entryId}`, verdict.contexts);
  const message = `A hook blocked the prompt: ${verdict.reason ?? 'it gave no reason'}`;
  const details = { hookEvent: 'UserPromptSubmit', ...(verdict.hook === undefined ? {} : { hook: verdict.hook }) };
  return [
    { type: 'entry.discarded', turnId, entryId, reason: 'hook_rejected' },
    { type: 'notice', turnId, level: 'warning', message, details: { ...details, preventContinuation: true } },
  ];
}

/** What hooks in the background have for the model, as far as it is there. */
export function tellBackground(turn: TurnParts): void {
  const facts = backgroundContexts(turn, turn.newId);
  if (facts.length > 0) turn.emit(facts);
}

/** `PostToolBatch`: every call of the message has its result, and the model has not been told yet. */
export async function afterBatch(turn: TurnParts, entry: AssistantEntry): Promise<TurnOutcome | undefined> {
  if (!hasEventHooks(turn.binding, 'PostToolBatch')) return undefined;
  const id = `${turn.turnId}.${turn.state.active?.modelRequests ?? 0}`;
  const verdict = await runEventHooks(turn, {
    event: 'PostToolBatch',
    id,
    input: { tool_calls: batchedCalls(turn, entry) },
    ends: (outcome) => outcome.type === 'answer' && isBlocking(outcome),
    follow: ({ contexts }) => contextFacts(turn, `PostToolBatch/${id}`, contexts),
  });
  return verdict === undefined ? aborted : endedByHook(turn);
}

function batchedCalls({ state }: TurnParts, entry: AssistantEntry): BatchedCall[] {
  const results = new Map<string, JsonValue>();
  for (const item of state.conversation)
    if (item.kind === 'result' && item.entryId === entry.id)
      results.set(item.result.callId, item.result.content as unknown as JsonValue);
  return entry.content.flatMap((block, index): BatchedCall[] => {
    if (block.type !== 'tool_call') return [];
    const callId = `${entry.id}#${index}`;
    const response = results.get(callId);
    return [
      {
        tool_name: block.name,
        tool_input: state.active?.calls.get(callId)?.input ?? block.input,
        tool_use_id: block.toolCallId,
        ...(response === undefined ? {} : { tool_response: response }),
      },
    ];
  });
}

/**
 * `Stop`, or `SubagentStop`, before a turn that is done ends: `again` when the model is to go on, which it is told why.
 * Hooks that never let it end are left out after the eighth time.
 */
export async function judgeStop(turn: TurnParts): Promise<'end' | 'again' | TurnOutcome> {
  const isSubagent = parentIdOf(turn.sessionId) !== undefined;
  const event = isSubagent ? 'SubagentStop' : 'Stop';
  if (!hasEventHooks(turn.binding, event)) return 'end';
  // The reply may be held back for the next batch, and is what they judge.
  turn.emit([]);
  const blocks = stopBlocks(turn);
  if (blocks >= MAX_STOP_BLOCKS) {
    const message = `Hooks have kept this turn from its end ${blocks} times; it ends all the same.`;
    turn.emit([{ type: 'notice', turnId: turn.turnId, level: 'warning', message, details: { hookEvent: event } }]);
    return 'end';
  }
  const text = turn.state.active?.text ?? '';
  const id = `${turn.turnId}.${turn.state.active?.modelRequests ?? 0}`;
  const stopping = {
    stop_hook_active: blocks > 0,
    ...(text === '' ? {} : { last_assistant_message: text }),
    background_tasks: [],
    session_crons: [],
  };
  const follow = (judged: HookVerdict): EventDraft[] => afterStopJudged(turn, `${event}/${id}`, judged);
  const agent = { agent_id: turn.sessionId, agent_type: turn.binding.agent.name };
  const verdict = await (isSubagent
    ? runEventHooks(turn, {
        event: 'SubagentStop',
        id,
        subject: turn.binding.agent.name,
        input: { ...stopping, ...agent, agent_transcript_path: turn.ownTranscriptPath },
        follow,
      })
    : runEventHooks(turn, { event: 'Stop', id, input: stopping, follow }));
  if (verdict === undefined) return aborted;
  const ended = endedByHook(turn);
  if (ended !== undefined) return ended;
  return verdict.decision === 'deny' ? 'again' : 'end';
}

function stopBlocks({ state }: TurnParts): number {
  const since = state.active?.startSeq ?? 0;
  let blocks = 0;
  for (const item of state.conversation)
    if (item.kind === 'message' && item.entry.kind === STOP_FEEDBACK && (item.seq ?? 0) > since) blocks += 1;
  return blocks;
}

export const STOP_FEEDBACK = 'stop_hook_feedback';

function afterStopJudged(turn: TurnParts, source: string, verdict: HookVerdict): EventDraft[] {
  const facts = contextFacts(turn, source, verdict.contexts);
  if (verdict.decision !== 'deny' || verdict.stop !== undefined) return facts;
  const text = `Stop hook feedback:\n${verdict.reason ?? 'The work is not done yet.'}`;
  const entry: MessageEntry = {
    type: 'message',
    id: placedId(turn, `${source}/feedback`),
    role: 'context',
    kind: STOP_FEEDBACK,
    source,
    content: [{ type: 'text', text }],
  };
  return [...facts, { type: 'entry.completed', turnId: turn.turnId, entry }];
}
