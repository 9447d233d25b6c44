import type { AssistantEntry, ReasoningDelta, SDKMessage } from '@rondo/protocol';
import { deriveUuid } from './line-uuid.ts';
import type { ProjectionState, ThinkingProgress } from './projection-state.ts';

/** Of the languages that models think in; an estimate for display, no count. */
const CHARACTERS_A_TOKEN = 4;
/** Base64 holds three bytes in four characters. */
const CHARACTERS_A_HIDDEN_TOKEN = (CHARACTERS_A_TOKEN * 4) / 3;

/** How much the model has thought, told with each piece that adds to it. */
export function thinkingLines(state: ProjectionState, delta: ReasoningDelta): SDKMessage[] {
  const { entryId, block, offset, text } = delta;
  let thinking = state.thinking;
  if (thinking?.entryId !== entryId || thinking.block !== block) {
    thinking = { entryId, block, characters: 0, tokens: 0 };
    state.thinking = thinking;
  }
  thinking.characters = Math.max(thinking.characters, offset + text.length);
  return grownTo(state, thinking, Math.ceil(thinking.characters / CHARACTERS_A_TOKEN));
}

/** What is told of reasoning whose text nobody is shown, once its reply is whole: as much as what stands for it suggests. */
export function hiddenThinkingLines(state: ProjectionState, entry: AssistantEntry): SDKMessage[] {
  const { thinking } = state;
  if (thinking?.entryId !== entry.id) return [];
  const block = entry.content[thinking.block];
  delete state.thinking;
  if (thinking.tokens > 0 || block?.type !== 'reasoning') return [];
  const hidden = block.redacted ?? block.signature ?? '';
  return grownTo(state, thinking, Math.ceil(hidden.length / CHARACTERS_A_HIDDEN_TOKEN));
}

function grownTo(state: ProjectionState, thinking: ThinkingProgress, tokens: number): SDKMessage[] {
  const delta = tokens - thinking.tokens;
  if (delta <= 0) return [];
  thinking.tokens = tokens;
  return [
    {
      type: 'system',
      subtype: 'thinking_tokens',
      uuid: deriveUuid(`${thinking.entryId}/${thinking.block}/thinking/${tokens}`),
      session_id: state.options.sessionId,
      estimated_tokens: tokens,
      estimated_tokens_delta: delta,
    },
  ];
}
