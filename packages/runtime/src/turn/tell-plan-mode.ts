import type { MessageEntry } from '@rondo/protocol';
import type { ConversationItem } from '../event/conversation.ts';
import type { TurnParts } from './turn-parts.ts';

const PLAN_MODE = 'plan_mode';
const PLAN_MODE_OVER = 'plan_mode_over';
const overText = 'Plan mode is over: what the rules allow runs again.';

/**
 * Tells the model that nothing but a plan is wanted, once for as long as the permission mode is `plan`, and when it no
 * longer is. What it was told last is read from the conversation, so that it is the same in whatever process.
 */
export function tellPlanMode(turn: TurnParts): void {
  const { planInstructions } = turn.binding;
  if (planInstructions === undefined) return;
  const isPlan = turn.policy().mode === 'plan';
  const told = lastTold(turn.state.conversation);
  const text = isPlan ? planInstructions : overText;
  if (isPlan ? told?.text === text : told?.kind !== PLAN_MODE) return;
  if (turn.state.conversation.at(-1)?.kind === 'assistant') return;
  const entry: MessageEntry = {
    type: 'message',
    id: turn.newId(),
    role: 'context',
    kind: isPlan ? PLAN_MODE : PLAN_MODE_OVER,
    content: [{ type: 'text', text }],
  };
  turn.emit([{ type: 'entry.completed', turnId: turn.turnId, entry }]);
}

function lastTold(
  conversation: readonly ConversationItem[],
): { readonly kind: string; readonly text: string } | undefined {
  for (let index = conversation.length - 1; index >= 0; index -= 1) {
    const item = conversation[index];
    if (item?.kind !== 'message' || item.entry.role !== 'context') continue;
    const { kind = '', content } = item.entry;
    if (kind !== PLAN_MODE && kind !== PLAN_MODE_OVER) continue;
    const [said] = content;
    return { kind, text: said?.type === 'text' ? said.text : '' };
  }
  return undefined;
}
