import type { EventDraft } from '../event/event-draft.ts';
import type { ModelRequest } from '../model/model.ts';
import { offeredTools } from './planned-call.ts';
import type { TurnParts } from './turn-parts.ts';

/**
 * What the model is asked next: the whole conversation, proved by the context builder. What had to be left out of it
 * is reported once, by a notice.
 */
export async function modelRequest(turn: TurnParts): Promise<ModelRequest> {
  const binding = turn.binding;
  const { messages, notices } = await turn.context.build(turn.state.conversation, { model: binding.model.name });
  const facts = notices.map(
    (notice): EventDraft => ({
      type: 'notice',
      turnId: turn.turnId,
      level: 'warning',
      message: notice.reason,
      details: { status: 'quarantined', entryId: notice.entryId, block: notice.block },
    }),
  );
  if (facts.length > 0) turn.emit(facts);
  return {
    system: binding.system,
    tools: toolSpecifications(turn),
    messages,
    sessionId: turn.sessionId,
    ...(binding.maxOutputTokens === undefined ? {} : { maxOutputTokens: binding.maxOutputTokens }),
    ...(binding.thinking === undefined ? {} : { thinking: binding.thinking }),
    ...(binding.effort === undefined ? {} : { effort: binding.effort }),
  };
}

/** In order of their names: the order in which tools were registered must not change the request. */
function toolSpecifications(turn: TurnParts): ModelRequest['tools'] {
  return offeredTools(turn)
    .map((tool) => tool.specification())
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
