import type { AnyEvent } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import type { ConversationItem } from '../event/conversation.ts';
import { hydrateBlocks, type ReadBlob } from '../event/hydrate-event.ts';
import { itemOfEvent } from '../event/light-conversation.ts';

/** Events between two items that are read over rather than looked up. */
const SKIPPED_EVENTS = 512;

/** Reads light items whole. Asked for in order, all of them cost one pass over their part of the log. */
export interface ItemReader {
  /** Undefined where the log no longer has it. */
  read(item: ConversationItem): Promise<ConversationItem | undefined>;
  close(): Promise<void>;
}

export function createItemReader(read: (after: number) => AsyncIterable<AnyEvent>): ItemReader {
  let events: AsyncIterator<AnyEvent> | undefined;
  let last = 0;

  const close = async (): Promise<void> => {
    const open = events;
    events = undefined;
    await open?.return?.();
  };

  return {
    async read(item) {
      const { seq } = item;
      if (seq === undefined) return item;
      if (events === undefined || seq <= last || seq - last > SKIPPED_EVENTS) {
        await close();
        events = read(seq - 1)[Symbol.asyncIterator]();
      }
      for (;;) {
        const { done, value } = await events.next();
        if (done === true) return undefined;
        last = value.seq;
        if (last >= seq) return itemOfEvent(value, item);
      }
    },
    close,
  };
}

/** Reads single items whole, light or with their content beside the log. @throws where the log has one no more. */
export function createWholeItem({
  read,
  readBlob,
}: {
  readonly read: (after: number) => AsyncIterable<AnyEvent>;
  readonly readBlob: ReadBlob;
}): (item: ConversationItem) => Promise<ConversationItem> {
  return async (item) => {
    let whole: ConversationItem | undefined = item;
    if (item.isLight === true) {
      const reader = createItemReader(read);
      try {
        whole = await reader.read(item);
      } finally {
        await reader.close();
      }
    }
    if (whole === undefined) throw new RondoError('log.damaged', 'the log has no more what was said at this place');
    if (whole.kind === 'message')
      return {
        ...whole,
        entry: { ...whole.entry, content: [...(await hydrateBlocks(whole.entry.content, readBlob))] },
      };
    if (whole.kind === 'assistant')
      return {
        ...whole,
        entry: { ...whole.entry, content: [...(await hydrateBlocks(whole.entry.content, readBlob))] },
      };
    return whole;
  };
}
