import type { Channel, DecodedFrame } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import { createChannelEnd, receiveText, unreadable } from './channel-end.ts';

/** What browsers, Node and `ws` have in common. */
export interface SocketLike {
  readonly readyState: number;
  send(text: string): void;
  close(code?: number, reason?: string): void;
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
}

export interface SocketOptions {
  /** The socket's address, for errors. */
  readonly url: string;
  readonly decode: (text: string) => DecodedFrame;
  readonly signal: AbortSignal | undefined;
  /** What is known of a refusal beyond that the socket did not open. */
  readonly refusal?: () => RondoError | undefined;
}

const OPEN = 1;
const NORMAL_CLOSURE = 1000;

/** The channel over a socket that is being opened; rejects when it does not open. One frame is one text message. */
export function openWebSocketEnd(socket: SocketLike, options: SocketOptions): Promise<Channel> {
  const { url, decode, signal, refusal } = options;
  const opened = Promise.withResolvers<Channel>();
  const end = createChannelEnd({
    send(frame) {
      if (socket.readyState !== OPEN) throw new RondoError('channel.closed', `the socket to ${url} is closing`);
      socket.send(JSON.stringify(frame));
    },
    close() {
      signal?.removeEventListener('abort', onAbort);
      opened.reject(end.channel.signal.reason);
      socket.close(NORMAL_CLOSURE);
    },
  });
  const onAbort = (): void => end.channel.close();

  socket.onopen = () => {
    signal?.removeEventListener('abort', onAbort);
    opened.resolve(end.channel);
  };
  socket.onmessage = ({ data }: { readonly data: unknown }) => {
    if (typeof data === 'string') receiveText(end, decode, data);
    else end.end(unreadable('a message is binary'));
  };
  socket.onclose = (event: CloseLike) => end.end(refusal?.() ?? closeReason(url, event));
  // A close follows and says more.
  socket.onerror = () => {};
  if (signal?.aborted) onAbort();
  else signal?.addEventListener('abort', onAbort, { once: true });
  return opened.promise;
}

interface CloseLike {
  readonly code: number;
  readonly reason: string;
}

function closeReason(url: string, { code, reason }: CloseLike): RondoError {
  const details = { url, closeCode: code };
  const said = reason === '' ? '' : ` (${reason})`;
  switch (code) {
    case 1001:
      return new RondoError('host.closing', `the host at ${url} went away${said}`, { details });
    case 1009:
      return new RondoError(
        'protocol.frame_too_large',
        `the host at ${url} takes no frame of that size${said}; send less at once, or raise its bound`,
        { details },
      );
    case 4401:
      return new RondoError('access.unauthenticated', `the host at ${url} does not know this token${said}`, {
        details,
      });
    default:
      return new RondoError('channel.closed', `the socket to ${url} closed with code ${code}${said}`, { details });
  }
}
