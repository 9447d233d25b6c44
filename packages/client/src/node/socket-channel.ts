import { connect } from 'node:net';
import type { Channel } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import { createLineChannelEnd } from './line-channel-end.ts';

export interface SocketChannelOptions {
  /** Gives the opening up. */
  readonly signal?: AbortSignal;
}

/** A channel to a host that listens on a Unix socket, or a named pipe on Windows. Open when it resolves. */
export async function socketChannel(path: string, { signal }: SocketChannelOptions = {}): Promise<Channel> {
  signal?.throwIfAborted();
  const socket = connect(path);
  const opened = Promise.withResolvers<Channel>();
  const end = createLineChannelEnd(
    { input: socket, output: socket },
    {
      host: `the host at ${path}`,
      close() {
        signal?.removeEventListener('abort', onAbort);
        opened.reject(end.channel.signal.reason);
        // What was sent still goes out.
        socket.destroySoon();
      },
    },
  );
  const onAbort = (): void =>
    end.end(new RondoError('operation.aborted', `stopped connecting to ${path}`, { cause: signal?.reason }));
  signal?.addEventListener('abort', onAbort, { once: true });
  socket.on('connect', () => {
    signal?.removeEventListener('abort', onAbort);
    opened.resolve(end.channel);
  });
  return await opened.promise;
}
