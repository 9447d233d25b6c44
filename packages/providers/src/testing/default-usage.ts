import type { ScriptBlock } from './script.ts';

/** Tokens of a request of which nothing is known but its length. */
export function defaultInputTokens(requestText: string): number {
  return Math.ceil(requestText.length / 4);
}

/** Tokens of a scripted reply that says nothing about them. */
export function defaultOutputTokens(blocks: readonly ScriptBlock[]): number {
  const length = blocks.reduce((sum, block) => sum + lengthOf(block), 0);
  return Math.max(1, Math.ceil(length / 4));
}

function lengthOf(block: ScriptBlock): number {
  switch (block.type) {
    case 'text':
    case 'thinking':
      return block.text.length;
    case 'tool_call':
      return block.name.length + (block.json ?? JSON.stringify(block.input)).length;
    case 'redacted_thinking':
      return block.data.length;
    case 'wire':
      return JSON.stringify(block.block).length;
    case 'hold':
      return 0;
  }
}
