import type { ChannelOpener } from '@rondo/client';
import type { Channel, Frame, MethodName } from '@rondo/protocol';

/** What gets lost with the channel: a request before the host has it, or its response once the host has done it. */
export type Lost = 'request' | 'response';

/** Opens channels that break where a test says. */
export interface Breakable {
  readonly open: ChannelOpener;
  /** Breaks the channel with the next request of that method. */
  lose(what: Lost, method: MethodName): void;
  /** Breaks the channel now. */
  drop(): void;
  /** Channels that are opened from here on wait for this first. */
  holdOpening(until: Promise<unknown>): void;
  openings(): number;
}

export function breakable(openChannel: () => Promise<Channel>): Breakable {
  let planned: { readonly what: Lost; readonly method: MethodName } | undefined;
  let held: Promise<unknown> = Promise.resolve();
  let current: Channel | undefined;
  let openings = 0;

  async function open(): Promise<Channel> {
    await held;
    const channel = await openChannel();
    current = channel;
    openings += 1;
    let losing: Frame | undefined;

    async function* frames(): AsyncGenerator<Frame, void, void> {
      for await (const frame of channel.frames) {
        const isLost = losing !== undefined && 'id' in losing && 'id' in frame && frame.id === losing.id;
        if (!isLost) yield frame;
        else channel.close();
        if (isLost) return;
      }
    }
    return {
      send(frame) {
        const plan = 'method' in frame && frame.method === planned?.method ? planned.what : undefined;
        if (plan !== undefined) planned = undefined;
        if (plan === 'response') losing = frame;
        if (plan === 'request') channel.close();
        else channel.send(frame);
      },
      frames: frames(),
      signal: channel.signal,
      closed: channel.closed,
      close: channel.close,
    };
  }

  return {
    open,
    lose(what, method) {
      planned = { what, method };
    },
    drop: () => current?.close(),
    holdOpening(until) {
      held = until;
    },
    openings: () => openings,
  };
}
