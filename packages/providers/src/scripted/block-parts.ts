import type { ModelBlock } from '@rondo/protocol';
import type { ModelPart } from '@rondo/runtime';

/** A block and the pieces that it comes in. */
export interface ReplyBlock {
  readonly block: ModelBlock;
  readonly pieces: readonly string[];
}

/** The block as it comes in a stream. */
export function* blockParts({ block, pieces }: ReplyBlock, index: number): Generator<ModelPart, void> {
  switch (block.type) {
    case 'text':
    case 'reasoning':
      yield { type: 'block-start', index, block: block.type };
      break;
    case 'tool_call':
      yield { type: 'block-start', index, block: 'tool_call', toolCallId: block.toolCallId, name: block.name };
      break;
    default:
      yield { type: 'block-start', index, block: 'opaque' };
  }
  for (const text of pieces) yield { type: 'delta', index, text };
  yield { type: 'block-end', index, block };
}

/** The pieces of a text as a model sends them: word by word. */
export function wordsOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(/(?<= )(?=\S)/);
}

/** The block with the pieces that nobody wrote down. */
export function replyBlock(block: ModelBlock): ReplyBlock {
  switch (block.type) {
    case 'text':
    case 'reasoning':
      return { block, pieces: wordsOf(block.text) };
    case 'tool_call':
      return { block, pieces: [block.malformed?.text ?? block.repaired?.text ?? JSON.stringify(block.input)] };
    default:
      return { block, pieces: [] };
  }
}
