import type { ContentBlock } from '@rondo/protocol';
import type { QuarantinedBlock } from '../event/quarantine-notice.ts';
import type { RequestLimits } from './request-limits.ts';
import type { SentBlock } from './sendable-content.ts';

/** Blocks below this never decide whether a request fits. */
const HEAVY_CHARACTERS = 20_000;

/** Of a limit, what is left once it was reached: each time changes what was sent before, and costs the provider's cache. */
const KEPT = 0.8;

/** Of a request's characters, what content may take; the rest is for what stands around it. */
const CONTENT_SHARE = 0.9;

interface HeavyBlock {
  readonly message: number;
  readonly place: QuarantinedBlock;
  readonly block: ContentBlock;
  readonly isImage: boolean;
  /** Pixels of an image's longer edge. */
  readonly edge: number;
  readonly pages: number;
  readonly characters: number;
}

export interface GoneBlock {
  readonly message: number;
  readonly place: QuarantinedBlock;
  readonly block: ContentBlock;
  readonly reason: string;
}

/** What takes the room in a request, and which of it has to go. */
export interface HeavyContent {
  /** Gives the block to be sent: a copy where the very same object is sent elsewhere already, so that one can go alone. */
  add(message: number, place: QuarantinedBlock, sent: SentBlock): ContentBlock;
  /** Content that never has to go. */
  addCharacters(characters: number): void;
  /**
   * The oldest blocks that must go so that the rest fits; forgotten here. Some room is made free at once. What stands
   * in the newest message goes only where it would not fit otherwise.
   * @param newest index of the message that is being gathered.
   */
  overflow(newest: number): readonly GoneBlock[];
}

const nothing: readonly GoneBlock[] = [];

export function createHeavyContent(limits: RequestLimits): HeavyContent {
  const most = {
    images: limits.maxImages,
    many: limits.manyImages.above,
    pages: limits.maxDocumentPages,
    characters: limits.maxRequestCharacters * CONTENT_SHARE,
  };
  const strictEdge = limits.manyImages.maxImageEdge;
  const sent = new WeakSet<ContentBlock>();
  let heavy: HeavyBlock[] = [];
  /** Images, those over the stricter edge, pages, characters: all that is sent. */
  let images = 0;
  let large = 0;
  let pages = 0;
  let characters = 0;

  function count(block: HeavyBlock, sign: 1 | -1): void {
    characters += sign * block.characters;
    pages += sign * block.pages;
    if (!block.isImage) return;
    images += sign;
    if (block.edge > strictEdge) large += sign;
  }

  return {
    add(message, place, { block: given, edge = 0, pages: pagesOf = 0 }) {
      const size = sizeOf(given);
      const isImage = given.type === 'image';
      if (!isImage && pagesOf === 0 && size < HEAVY_CHARACTERS) {
        characters += size;
        return given;
      }
      const block = sent.has(given) ? { ...given } : given;
      sent.add(block);
      const entry = { message, place, block, isImage, edge, pages: pagesOf, characters: size };
      heavy.push(entry);
      count(entry, 1);
      return block;
    },
    addCharacters(more) {
      characters += more;
    },
    overflow(newest) {
      const over = {
        images: images > most.images,
        many: large > 0 && images > most.many,
        pages: pages > most.pages,
        characters: characters > most.characters,
      };
      if (!over.images && !over.many && !over.pages && !over.characters) return nothing;
      const gone: GoneBlock[] = [];
      const reasonToGo = (block: HeavyBlock): string | undefined => {
        const left = (limit: number): number => (block.message === newest ? limit : Math.floor(limit * KEPT));
        if (over.characters && characters > left(most.characters))
          return 'the conversation grew too large to send it again';
        if (over.images && block.isImage && images > left(most.images))
          return `a request takes at most ${most.images} images`;
        if (over.many && block.edge > strictEdge && images > left(most.many))
          return `it has ${block.edge} pixels on a side, the limit is ${strictEdge} in a request with more than ${most.many} images`;
        if (over.pages && block.pages > 0 && pages > left(most.pages))
          return `a request takes at most ${most.pages} pages of documents`;
        return undefined;
      };
      heavy = heavy.filter((block) => {
        const reason = reasonToGo(block);
        if (reason === undefined) return true;
        count(block, -1);
        gone.push({ message: block.message, place: block.place, block: block.block, reason });
        return false;
      });
      return gone;
    },
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
