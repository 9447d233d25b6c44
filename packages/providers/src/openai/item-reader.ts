import type { JsonObject } from '@rondo/protocol';
import type { QueuedBlock } from '../dialect/block-queue.ts';
import { wholeCharacters } from '../dialect/whole-characters.ts';
import type { WireItem } from './wire-schema.ts';

/** An item of the output while its events come in. */
export interface ItemReader {
  /** Takes an event that is about the item and passes over what says nothing. */
  take(event: JsonObject): void;
  /** Hands out what is left. `item` is the whole one, or as it began where the server never sent the whole. */
  close(item: WireItem): void;
  /** Of an item with text: adds to the part of that place, which must be open. */
  readonly addText?: (contentIndex: number, added: string) => void;
}

export interface WrittenText {
  readonly whole: string;
  add(piece: string): void;
  /** Adds what the whole text has beyond what came so far; one that begins otherwise says nothing. */
  complete(text: string): void;
}

/** Gathers the text of a block and hands out its pieces, never half a character. */
export function writtenText(block: QueuedBlock): WrittenText {
  const pieces = wholeCharacters();
  let whole = '';
  const add = (piece: string): void => {
    whole += piece;
    block.delta(pieces(piece));
  };
  return {
    get whole() {
      return whole;
    },
    add,
    complete(text) {
      if (text.length > whole.length && text.startsWith(whole)) add(text.slice(whole.length));
    },
  };
}
