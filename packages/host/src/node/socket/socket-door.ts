import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Principal } from '../../access/principal.ts';
import type { Authenticate } from '../access/authenticate.ts';
import type { Edge } from '../edge.ts';
import { type ServedWebSocket, serveWebSocket } from './serve-web-socket.ts';

/** The WebSockets of a host. */
export interface SocketDoor {
  /** Makes a WebSocket of an upgrade that may have one. */
  open(request: IncomingMessage, socket: Duplex, head: Buffer, principal: Principal | undefined): void;
  beat(): void;
  size(): number;
  /** Closes each as {@link ServedWebSocket.close} says. */
  close(): Promise<void>;
}

export async function createSocketDoor(options: Edge & { readonly authenticate: Authenticate }): Promise<SocketDoor> {
  const { WebSocketServer } = await import('ws');
  const sockets = new Set<ServedWebSocket>();
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: options.limits.frameBytes,
    perMessageDeflate: false,
  });
  return {
    open(request, duplex, head, principal) {
      server.handleUpgrade(request, duplex, head, (socket) => {
        const served = serveWebSocket(socket, { ...options, stream: duplex, principal });
        sockets.add(served);
        void served.closed.then(() => sockets.delete(served));
      });
    },
    beat() {
      for (const socket of sockets) socket.beat();
    },
    size: () => sockets.size,
    async close() {
      await Promise.all([...sockets].map((socket) => socket.close()));
    },
  };
}
