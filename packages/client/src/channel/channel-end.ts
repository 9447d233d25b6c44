import type { Channel, DecodedFrame, Frame } from '@rondo/protocol';
import { createMemoryChannel, RondoError } from '@rondo/protocol/values';

/** What carries a channel's frames. */
export interface Transport {
  send(frame: Frame): void;
  /** Lets go of it. Called once, when the channel ends, whoever ended it. */
  close(): void;
}

/** A channel's end as its transport sees it. */
export interface ChannelEnd {
  readonly channel: Channel;
  receive(frame: Frame): void;
  /** The channel is over, for this reason. What was received is still read. Later calls do nothing. */
  end(reason: RondoError<string>): void;
}

export function createChannelEnd({ send, close }: Transport): ChannelEnd {
  // Frames that wait for their reader, and the one close of it all, are a memory channel's business.
  const [near, far] = createMemoryChannel();
  const controller = new AbortController();

  function end(reason: RondoError<string>): void {
    if (controller.signal.aborted) return;
    controller.abort(reason);
    far.close();
    close();
  }

  return {
    channel: {
      send(frame) {
        if (controller.signal.aborted) throw controller.signal.reason;
        send(frame);
      },
      frames: near.frames,
      signal: controller.signal,
      closed: near.closed,
      close: () => end(new RondoError('channel.closed', 'the channel is closed; connect again to go on')),
    },
    receive(frame) {
      if (!controller.signal.aborted) far.send(frame);
    },
    end,
  };
}

/** Frames out of their text, for a channel that cannot go on when one of them does not read. */
export function receiveText(end: ChannelEnd, decode: (text: string) => DecodedFrame, text: string): void {
  const decoded = decode(text);
  if (decoded.ok) end.receive(decoded.frame);
  else end.end(unreadable(decoded.message));
}

export function unreadable(problem: string): RondoError {
  return new RondoError(
    'protocol.frame_invalid',
    `what came over the channel is no frame: ${problem}. Is a Rondo host at its other end?`,
  );
}
