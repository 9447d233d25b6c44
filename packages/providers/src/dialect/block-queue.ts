import type { ModelBlock } from '@rondo/protocol';
import type { ModelPart } from '@rondo/runtime';

/** What a block begins with, before it has its place among the others. */
export type BlockStart =
  | { readonly block: 'text' | 'reasoning' | 'opaque' }
  | { readonly block: 'tool_call'; readonly toolCallId: string; readonly name: string };

export interface QueuedBlock {
  delta(text: string): void;
  /** Nothing may follow. */
  end(block: ModelBlock): void;
}

export interface BlockQueue {
  /** The block comes after all that were opened before it. */
  open(start: BlockStart): QueuedBlock;
  /** How many blocks were handed out whole. */
  readonly whole: number;
}

interface Entry {
  readonly start: BlockStart;
  /** Text of a block whose turn has not come. */
  waiting: string;
  ended?: ModelBlock;
}

/**
 * Puts blocks one after the other where a wire may send them through each other. The first open block is handed out
 * piece by piece; what comes of the others meanwhile waits, and then comes at once.
 */
export function createBlockQueue(emit: (part: ModelPart) => void): BlockQueue {
  const line: Entry[] = [];
  let whole = 0;

  function endFirst(block: ModelBlock): void {
    emit({ type: 'block-end', index: whole, block });
    whole += 1;
    line.shift();
    const next = line[0];
    if (next === undefined) return;
    emit({ type: 'block-start', index: whole, ...next.start });
    if (next.waiting !== '') emit({ type: 'delta', index: whole, text: next.waiting });
    if (next.ended !== undefined) endFirst(next.ended);
  }

  return {
    open(start) {
      const entry: Entry = { start, waiting: '' };
      if (line.push(entry) === 1) emit({ type: 'block-start', index: whole, ...start });
      return {
        delta(text) {
          if (text === '') return;
          if (line[0] === entry) emit({ type: 'delta', index: whole, text });
          else entry.waiting += text;
        },
        end(block) {
          if (line[0] === entry) endFirst(block);
          else entry.ended = block;
        },
      };
    },
    get whole() {
      return whole;
    },
  };
}
