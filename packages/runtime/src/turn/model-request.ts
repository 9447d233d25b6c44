import type { ContextNotice } from '../context/context-notice.ts';
import type { ConversationItem } from '../event/conversation.ts';
import type { EventDraft } from '../event/event-draft.ts';
import { quarantineDetails, quarantineKey } from '../event/quarantine-notice.ts';
import type { Model, ModelRequest, Thinking } from '../model/model.ts';
import type { Binding } from './binding.ts';
import { offeredSpecifications } from './offered-specifications.ts';
import { countsBudget } from './tell-task-budget.ts';
import { offeredTools } from './planned-call.ts';
import type { TurnParts } from './turn-parts.ts';

export interface AskedRequest {
  readonly request: ModelRequest;
  /** The tool's own name of what the model calls, where it knows the tool under another. */
  readonly toolName: (called: string) => string;
}

/**
 * What the model is asked next: the whole conversation, proved by the context builder. What had to be left out of it
 * is reported once in the life of the session, by a notice.
 */
export async function modelRequest(
  turn: TurnParts,
  model: Model,
  conversation: readonly ConversationItem[] = turn.state.conversation,
): Promise<AskedRequest> {
  const { maxOutputTokens, effort, temperature, output, taskBudget } = turn.binding;
  const thinking = thinkingOf(turn.binding, model);
  const built = await turn.context.build(conversation, {
    model: model.name,
    ...(model.input === undefined ? {} : { input: model.input }),
    rejectedReasoning: turn.state.rejectedReasoning,
  });
  if (built.notices.length > 0) reportQuarantined(turn, model, built.notices);
  const offered = offeredSpecifications(offeredTools(turn));
  return {
    request: {
      system: systemPrompt(turn),
      tools: offered.specifications,
      messages: built.messages,
      sessionId: turn.sessionId,
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
      ...(thinking === undefined ? {} : { thinking }),
      ...(effort === undefined ? {} : { effort }),
      ...(temperature === undefined ? {} : { temperature }),
      ...(output === undefined ? {} : { output }),
      ...(taskBudget !== undefined && countsBudget(model, taskBudget) ? { taskBudget } : {}),
    },
    toolName: (called) => offered.names.get(called) ?? built.toolNames.get(called) ?? called,
  };
}

/** What is asked of this model: another may have taken the place of the binding's. */
function thinkingOf({ thinking, adaptiveThinking }: Binding, { thinksAdaptively }: Model): Thinking | undefined {
  return thinking ?? (adaptiveThinking === true && thinksAdaptively === true ? { type: 'adaptive' } : undefined);
}

/** The binding's own, and behind it what an imported history says to be of the system. */
function systemPrompt({ binding, state }: TurnParts): string {
  return state.systemMessages.length === 0 ? binding.system : [binding.system, ...state.systemMessages].join('\n\n');
}

/** One notice for each reason; nothing of what the log says already. */
function reportQuarantined(turn: TurnParts, model: Model, notices: readonly ContextNotice[]): void {
  const unsaid = notices.filter((notice) => !turn.state.quarantined.has(quarantineKey(notice, notice.reason)));
  const byReason = Map.groupBy(unsaid, ({ reason }) => reason);
  const facts = [...byReason].map(([reason, left]): EventDraft => {
    const blocks = left.map(({ entryId, callId, block }) => ({
      entryId,
      block,
      ...(callId === undefined ? {} : { callId }),
    }));
    return {
      type: 'notice',
      turnId: turn.turnId,
      level: 'warning',
      message: `not sent to ${model.name}: ${listed(left)}: ${reason}`,
      details: quarantineDetails(reason, blocks),
    };
  });
  if (facts.length > 0) turn.emit(facts);
}

function listed(left: readonly ContextNotice[]): string {
  const first = left[0]?.what ?? '';
  return left.length < 2 ? first : `${first} and ${left.length - 1} more`;
}
