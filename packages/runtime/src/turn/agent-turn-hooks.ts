import type { AssistantEntry, ContentBlock, MessageEntry } from '@rondo/protocol';
import { textOf } from '../event/apply-event.ts';
import type { ConversationItem } from '../event/conversation.ts';
import type { EventDraft } from '../event/event-draft.ts';
import type { HookEnding } from '../event/session-state.ts';
import { hookEvents } from '../hook/event-hook.ts';
import { isHookContext } from '../hook/hook-context-entry.ts';
import type { HookOutcome } from '../hook/hook-outcome.ts';
import { hooksAt } from '../hook/loop-hook.ts';
import { runHook } from '../hook/run-hook.ts';
import type { TurnOutcome } from './end-turn.ts';
import type { TurnParts } from './turn-parts.ts';

/** How the turn ends by what a hook decided in it, as the log says; undefined when none has ended it. */
export function endedByHook(turn: TurnParts): TurnOutcome | undefined {
  const ending = turn.state.active?.hookEnding;
  if (ending === undefined) return undefined;
  const { hook, point, outcome } = ending;
  const text = (name: string): string => {
    const said = outcome[name];
    return typeof said === 'string' ? said : '';
  };
  if (isEvent(point)) return endedByEvent(turn, ending);
  const terminalReason = 'hook_stopped';
  switch (outcome['type']) {
    case 'skip':
    case 'reject': {
      const stopReason = outcome['type'] === 'skip' ? 'hook_skipped' : 'hook_rejected';
      return { type: 'completed', stopReason, terminalReason, stopDetails: { hook, point, reason: text('reason') } };
    }
    case 'retry': {
      const message = `the hook "${hook}" had every reply dropped, up to the limit of ${hookRetriesOf(turn)} retries; it said last: ${text('reason')}`;
      const error = { code: 'hook.retries_exhausted', message, data: { hook, point, feedback: text('reason') } };
      return { type: 'failed', terminalReason, error };
    }
    default: {
      const message = `the hook "${hook}" failed at ${point}: it ${text('message')}`;
      const data = { hook, point, failure: text('failure') };
      return { type: 'failed', terminalReason, error: { code: 'hook.failed', message, data } };
    }
  }
}

const isEvent = (point: string): boolean => (hookEvents as readonly string[]).includes(point);

/** How a hook of the second face ends a turn: its prompt was blocked, or it is to stop. */
function endedByEvent({ state }: TurnParts, { hook, point, outcome }: HookEnding): TurnOutcome {
  const text = (name: string): string => {
    const said = outcome[name];
    return typeof said === 'string' ? said : '';
  };
  if (point === 'UserPromptSubmit' && outcome['continue'] !== false) {
    const reason =
      outcome['type'] === 'failed'
        ? `The hook "${hook}" ${text('message')}`
        : text('reason') || 'A hook blocked the prompt.';
    const stopDetails = { hook, point, reason };
    return {
      type: 'completed',
      stopReason: 'prompt_blocked',
      terminalReason: 'hook_stopped',
      stopDetails,
      text: reason,
    };
  }
  const isStop = point === 'Stop' || point === 'SubagentStop';
  const stopDetails = { hook, point, reason: text('stopReason') || text('reason') };
  return {
    type: 'completed',
    stopReason: 'hook_stopped',
    terminalReason: isStop ? 'stop_hook_prevented' : 'hook_stopped',
    stopDetails,
    // A turn that was cut short has no answer.
    text: isStop ? (state.active?.text ?? '') : '',
  };
}

export function hookRetriesOf({ binding }: TurnParts): number {
  return binding.hookRetries ?? 3;
}

/** What the user said and the model has not answered: a copy, whole, also of a session that was read from its log. */
async function unansweredContent(turn: TurnParts): Promise<ContentBlock[]> {
  const ids = new Set(turn.state.active?.unanswered);
  const content: ContentBlock[] = [];
  for (const item of turn.state.conversation) {
    if (item.kind !== 'message' || !ids.has(item.entry.id)) continue;
    const whole = await turn.wholeItem(item);
    if (whole.kind === 'message') content.push(...structuredClone(whole.entry.content));
  }
  return content;
}

function unansweredMessages({ state }: TurnParts): MessageEntry[] {
  const ids = new Set(state.active?.unanswered);
  if (ids.size === 0) return [];
  return state.conversation.flatMap((item) => (item.kind === 'message' && ids.has(item.entry.id) ? [item.entry] : []));
}

/** Once a turn, before the model is asked. What a hook puts in place is an entry of its own, the user's own is discarded. */
export async function preAgentTurn(turn: TurnParts): Promise<TurnOutcome | undefined> {
  if ((turn.state.active?.modelRequests ?? 0) > 0) return undefined;
  for (const hook of hooksAt(turn.binding, 'preAgentTurn')) {
    const outcome = await runHook(turn, hook, {
      point: 'preAgentTurn',
      id: turn.turnId,
      call: async (at, context) => await at.preAgentTurn?.(context, { userContent: await unansweredContent(turn) }),
      ends: ({ type }) => type !== 'continue',
      follow: (decided) => afterUserJudged(turn, decided),
    });
    if (outcome?.type !== 'continue') return endedByHook(turn) ?? aborted;
  }
  return undefined;
}

/** Stands for the outcome that the turn's signal tells. */
export const aborted: TurnOutcome = { type: 'interrupted', cause: 'interrupted', terminalReason: 'aborted_streaming' };

function afterUserJudged(turn: TurnParts, outcome: HookOutcome): EventDraft[] {
  const content = outcome.type === 'continue' ? outcome.userContent : undefined;
  if (outcome.type === 'continue' && content === undefined) return [];
  const messages = unansweredMessages(turn);
  const reason = discardedBecause(outcome);
  const facts = messages.map(
    ({ id }): EventDraft => ({ type: 'entry.discarded', turnId: turn.turnId, entryId: id, reason }),
  );
  if (content === undefined) return facts;
  const messageId = messages.at(-1)?.messageId;
  const entry: MessageEntry = {
    type: 'message',
    id: turn.newId(),
    role: 'user',
    content: [...content],
    ...(messageId === undefined ? {} : { messageId }),
  };
  return [...facts, { type: 'entry.completed', turnId: turn.turnId, entry }];
}

function discardedBecause(outcome: HookOutcome): string {
  switch (outcome.type) {
    case 'continue':
      return 'hook_replaced';
    case 'skip':
      return 'hook_skipped';
    case 'reject':
      return 'hook_rejected';
    case 'retry':
      return 'hook_retried';
    case 'ask':
    case 'failed':
      return 'hook_failed';
  }
}

/** Before a model request. */
export async function preLlmCall(turn: TurnParts): Promise<TurnOutcome | undefined> {
  const requests = turn.state.active?.modelRequests ?? 0;
  for (const hook of hooksAt(turn.binding, 'preLlmCall')) {
    const outcome = await runHook(turn, hook, {
      point: 'preLlmCall',
      id: `${turn.turnId}.${requests}`,
      call: async (at, context) =>
        await at.preLlmCall?.(context, {
          model: turn.binding.model.name,
          iteration: requests + 1,
          userContent: await unansweredContent(turn),
        }),
      ends: ({ type }) => type !== 'continue',
    });
    if (outcome?.type !== 'continue') return endedByHook(turn) ?? aborted;
  }
  return undefined;
}

/** A reply of the model that nothing has been stored of but that it began. */
export interface JudgedReply {
  readonly entry: AssistantEntry;
  readonly stopReason: string;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
  /** What is stored of it instead where it is dropped: that it is, and what it used. */
  readonly dropped: (reason: string) => readonly EventDraft[];
}

/** After a reply: `accepted`; `again` when it was dropped and the model is to be asked once more; or how the turn ends. */
export async function postLlmCall(turn: TurnParts, reply: JudgedReply): Promise<'accepted' | 'again' | TurnOutcome> {
  for (const hook of hooksAt(turn.binding, 'postLlmCall')) {
    const isExhausted = (turn.state.active?.hookRetries ?? 0) >= hookRetriesOf(turn);
    const outcome = await runHook(turn, hook, {
      point: 'postLlmCall',
      id: reply.entry.id,
      call: (at, context) => at.postLlmCall?.(context, judgedReply(turn, reply)),
      ends: ({ type }) => type !== 'continue' && (type !== 'retry' || isExhausted),
      follow: (decided) => afterReplyJudged(turn, reply, hook.name, decided),
    });
    if (outcome === undefined) {
      // What nobody has let pass is not kept. Whose host closes leaves it to be asked for again.
      if (!isClosing(turn)) turn.emit(reply.dropped('interrupted'));
      return aborted;
    }
    if (outcome.type === 'retry' && !isExhausted) return 'again';
    if (outcome.type !== 'continue') return endedByHook(turn) ?? aborted;
  }
  return 'accepted';
}

function isClosing({ signal }: TurnParts): boolean {
  const reason = signal.reason as { readonly cause?: string } | undefined;
  return reason?.cause === 'closing';
}

function judgedReply(turn: TurnParts, { entry, stopReason, usage }: JudgedReply) {
  const content = structuredClone(entry.content);
  return {
    model: entry.model,
    iteration: (turn.state.active?.modelRequests ?? 0) + 1,
    text: textOf(content),
    content,
    toolCalls: content.flatMap((block) =>
      block.type === 'tool_call' ? [{ toolCallId: block.toolCallId, name: block.name, arguments: block.input }] : [],
    ),
    stopReason,
    usage: { ...usage },
  };
}

function afterReplyJudged(turn: TurnParts, reply: JudgedReply, hook: string, outcome: HookOutcome): EventDraft[] {
  if (outcome.type === 'continue') return [];
  const facts = [...reply.dropped(discardedBecause(outcome))];
  if (outcome.type !== 'retry') return facts;
  const content = [...outcome.reason];
  const entry: MessageEntry = {
    type: 'message',
    id: turn.newId(),
    role: 'context',
    kind: 'hook_feedback',
    source: hook,
    content,
  };
  return [...facts, { type: 'entry.completed', turnId: turn.turnId, entry }];
}

/** Before a completed turn ends. Another answer takes the place of the model's; where a hook fails, there is none. */
export async function postAgentTurn(
  turn: TurnParts,
  completed: Extract<TurnOutcome, { type: 'completed' }>,
): Promise<TurnOutcome> {
  const { stopReason } = completed;
  const hooks = hooksAt(turn.binding, 'postAgentTurn');
  // The reply may be held back for the next batch, and is what they judge.
  if (hooks.length > 0) turn.emit([]);
  for (const hook of hooks) {
    const outcome = await runHook(turn, hook, {
      point: 'postAgentTurn',
      id: `${turn.turnId}.${turn.state.active?.modelRequests ?? 0}`,
      call: async (at, context) => await at.postAgentTurn?.(context, { text: await answerText(turn), stopReason }),
      ends: ({ type }) => type !== 'continue',
      follow: (decided) => afterAnswerJudged(turn, stopReason, decided),
    });
    if (outcome?.type !== 'continue') return endedByHook(turn) ?? aborted;
  }
  return completed;
}

function afterAnswerJudged(turn: TurnParts, stopReason: string, outcome: HookOutcome): EventDraft[] {
  const text = outcome.type === 'continue' ? outcome.text : undefined;
  if (outcome.type === 'continue' && text === undefined) return [];
  const { turnId } = turn;
  const answer = lastAnswer(turn);
  const facts: EventDraft[] = [];
  if (answer !== undefined)
    facts.push({ type: 'entry.discarded', turnId, entryId: answer.id, reason: discardedBecause(outcome) });
  if (text === undefined) return facts;
  const model = answer?.model ?? turn.binding.model.name;
  const entry: AssistantEntry = { type: 'assistant', id: turn.newId(), model, content: [] };
  const written: AssistantEntry = { ...entry, content: [{ type: 'text', text }], stopReason };
  return [...facts, { type: 'entry.added', turnId, entry }, { type: 'entry.completed', turnId, entry: written }];
}

/** The text of the turn's last answer, whole. */
export async function answerText(turn: TurnParts): Promise<string> {
  const last = lastItem(turn);
  if (last?.kind !== 'assistant' || lastAnswer(turn) === undefined) return turn.state.active?.text ?? '';
  const whole = await turn.wholeItem(last);
  return whole.kind === 'assistant' ? textOf(whole.entry.content) : '';
}

/** The turn's last reply, where it is the last thing that was said and calls nothing. */
function lastAnswer(turn: TurnParts): AssistantEntry | undefined {
  if ((turn.state.active?.modelRequests ?? 0) === 0) return undefined;
  const last = lastItem(turn);
  if (last?.kind !== 'assistant' || last.entry.content.some((block) => block.type === 'tool_call')) return undefined;
  return last.entry;
}

/** What was said last; what hooks have for the model stands beside it. */
function lastItem({ state }: TurnParts): ConversationItem | undefined {
  return state.conversation.findLast((item) => item.kind !== 'message' || !isHookContext(item.entry));
}
