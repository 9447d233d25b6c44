import type { ContentBlock } from '@rondo/protocol';
import type { ModelMessage } from '../model/model.ts';
import type { RequestLimits } from './request-limits.ts';

/** Blocks below this never decide whether a request fits. */
const HEAVY_CHARACTERS = 20_000;

interface HeavyBlock {
  readonly message: number;
  readonly block: ContentBlock;
  readonly characters: number;
}

/** What takes the room in a request, and which of it has to go. */
export interface HeavyContent {
  add(message: number, content: readonly ContentBlock[]): void;
  /** Content that never has to go. */
  addCharacters(characters: number): void;
  /**
   * The oldest blocks that must go so that the rest fits, by message; forgotten here. A fifth of the limit is made free
   * at once: each time changes what is sent before, and costs the provider's cache.
   */
  overflow(): Map<number, Set<ContentBlock>>;
}

export function createHeavyContent(limits: RequestLimits): HeavyContent {
  let heavy: HeavyBlock[] = [];
  let images = 0;
  let characters = 0;
  return {
    add(message, content) {
      for (const block of content) {
        const size = sizeOf(block);
        characters += size;
        if (block.type === 'image') images += 1;
        if (block.type === 'image' || size >= HEAVY_CHARACTERS) heavy.push({ message, block, characters: size });
      }
    },
    addCharacters(more) {
      characters += more;
    },
    overflow() {
      const gone = new Map<number, Set<ContentBlock>>();
      const imageTarget = images > limits.maxImages ? Math.floor(limits.maxImages * 0.8) : images;
      const characterTarget = characters > limits.maxRequestCharacters ? limits.maxRequestCharacters * 0.8 : characters;
      if (images <= imageTarget && characters <= characterTarget) return gone;
      heavy = heavy.filter(({ message, block, characters: size }) => {
        if (characters <= characterTarget && (block.type !== 'image' || images <= imageTarget)) return true;
        characters -= size;
        if (block.type === 'image') images -= 1;
        gone.set(message, (gone.get(message) ?? new Set()).add(block));
        return false;
      });
      return gone;
    },
  };
}

/** The message with some of its blocks replaced, those of its results included. */
export function replaceBlocks(
  message: Extract<ModelMessage, { role: 'user' }>,
  replace: (block: ContentBlock) => ContentBlock,
): ModelMessage {
  return {
    role: 'user',
    content: message.content.map((block) =>
      block.type === 'tool_result' ? { ...block, content: block.content.map(replace) } : replace(block),
    ),
  };
}

function sizeOf(block: ContentBlock): number {
  switch (block.type) {
    case 'text':
      return block.text.length;
    case 'image':
    case 'audio':
      return block.uri.length;
    case 'embedded_resource':
      return (block.text ?? block.blob ?? '').length;
    case 'resource_link':
    case 'unknown':
      return 0;
  }
}
