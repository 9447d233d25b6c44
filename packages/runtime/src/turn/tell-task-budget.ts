import type { MessageEntry, TokenUsage } from '@rondo/protocol';
import type { Model } from '../model/model.ts';
import type { TurnParts } from './turn-parts.ts';

const TASK_BUDGET = 'task_budget';

/** Whether the model's provider counts the budget down, so that nobody else has to. */
export function countsBudget({ leastTaskBudget }: Model, { total }: { readonly total: number }): boolean {
  return leastTaskBudget !== undefined && total >= leastTaskBudget;
}

/**
 * Tells the model what is left of its task's tokens, before each request of a turn that has such a budget, where its
 * provider does not. It is for the model to keep to it: the turn goes on where it does not.
 */
export function tellTaskBudget(turn: TurnParts, model: Model): void {
  const { taskBudget } = turn.binding;
  if (taskBudget === undefined || countsBudget(model, taskBudget)) return;
  // A message that is held back for the next batch is said before this one.
  turn.emit([]);
  const last = turn.state.conversation.at(-1);
  // A reply that paused is gone on with as it stands; behind a crash what is left may have been said.
  if (last === undefined || last.kind === 'assistant') return;
  if (last.kind === 'message' && last.entry.kind === TASK_BUDGET) return;
  const entry: MessageEntry = {
    type: 'message',
    id: turn.newId(),
    role: 'context',
    kind: TASK_BUDGET,
    content: [{ type: 'text', text: budgetText(taskBudget.total, turn.state.active?.usage ?? [], model) }],
  };
  turn.emit([{ type: 'entry.completed', turnId: turn.turnId, entry }]);
}

function budgetText(total: number, usage: readonly TokenUsage[], model: Model): string {
  const left = total - usedTokens(usage.filter((each) => each.model === model.name));
  if (usage.length === 0)
    return `Token budget of this task: ${total} tokens for your reasoning, your calls, their results and your answer. You will be told what is left; plan so that you have answered before it is used up.`;
  if (left <= 0)
    return 'The token budget of this task is used up. Start nothing new: answer now, with what you have and what is missing.';
  return `About ${left} of the ${total} tokens of this task's budget are left.`;
}

/** What the turn has added: what was said, and by how much the conversation has grown, which holds that and the results. */
function usedTokens(usage: readonly TokenUsage[]): number {
  const prompts = usage.map(promptTokens);
  const said = usage.reduce((sum, { outputTokens }) => sum + outputTokens, 0);
  const grown = Math.max(0, ...prompts) - (prompts[0] ?? 0) + (usage.at(-1)?.outputTokens ?? 0);
  return Math.max(said, grown);
}

function promptTokens({ inputTokens, cacheReadInputTokens = 0, cacheCreationInputTokens = 0 }: TokenUsage): number {
  return inputTokens + cacheReadInputTokens + cacheCreationInputTokens;
}
