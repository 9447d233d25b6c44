import type { AnyEvent } from '@rondo/protocol';
import type { ConversationItem } from '../event/conversation.ts';
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
