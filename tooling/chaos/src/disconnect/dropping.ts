import type { ChannelOpener } from '@rondo/client';
import type { Channel, Frame, JsonValue } from '@rondo/protocol';

/** Whether the channel is dropped after the event of that number, counted from 1 over all openings. */
export type Drops = (count: number) => boolean;

/** Opens channels that break after events of the client's, in the middle of a frame where that is the place. */
export interface DroppingOpener {
  readonly open: ChannelOpener;
  dropped(): number;
}

export function dropping(open: ChannelOpener, drops: Drops): DroppingOpener {
  let count = 0;
  let dropped = 0;

  /** The events of a frame up to one after which the channel is dropped; undefined where it is not. */
  function upToDrop(events: readonly JsonValue[]): JsonValue[] | undefined {
    for (const [index] of events.entries()) {
      count += 1;
      if (drops(count)) return events.slice(0, index + 1);
    }
    return undefined;
  }

  async function* frames(channel: Channel): AsyncGenerator<Frame, void, void> {
    for await (const frame of channel.frames) {
      const cut = cutFrame(frame, upToDrop);
      yield cut ?? frame;
      if (cut === undefined) continue;
      dropped += 1;
      channel.close();
      return;
    }
  }

  return {
    async open(options) {
      const channel = await open(options);
      return {
        send: channel.send,
        frames: frames(channel),
        signal: channel.signal,
        closed: channel.closed,
        close: channel.close,
      };
    },
    dropped: () => dropped,
  };
}

function cutFrame(frame: Frame, cut: (events: readonly JsonValue[]) => JsonValue[] | undefined): Frame | undefined {
  if (!('method' in frame) || frame.method !== 'events/item') return undefined;
  const { params } = frame as { readonly params: { readonly [name: string]: JsonValue } };
  const events = cut(params.events as readonly JsonValue[]);
  return events === undefined ? undefined : { jsonrpc: '2.0', method: frame.method, params: { ...params, events } };
}
