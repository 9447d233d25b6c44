import type { Channel } from '@rondo/protocol';
import { openWebSocketEnd } from './web-socket-end.ts';

export interface WebSocketChannelOptions {
  /** Gives the opening up. */
  readonly signal?: AbortSignal;
}

/**
 * A channel over the WebSocket that every platform has, open when it resolves. Browsers send no headers with it: the
 * token goes with the greeting, `connect(…, { token })`.
 */
export async function webSocketChannel(url: string | URL, { signal }: WebSocketChannelOptions = {}): Promise<Channel> {
  const { decodeFrame } = await import('@rondo/protocol');
  signal?.throwIfAborted();
  const socket = new WebSocket(url);
  return openWebSocketEnd(socket, { url: String(url), decode: decodeFrame, signal });
}
