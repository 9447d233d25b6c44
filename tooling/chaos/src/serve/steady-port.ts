import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A port that stays while hosts behind it come and go: no other process can get it in between. */
export interface SteadyPort {
  readonly port: number;
  /** What comes from now on goes to that port of this machine. */
  leadTo(port: number): void;
  /** Every connection ends at once, as when the machine behind it loses its power; what comes is turned away. */
  cut(): void;
  close(): Promise<void>;
}

export async function openSteadyPort(): Promise<SteadyPort> {
  const sockets = new Set<Socket>();
  let target: number | undefined;

  function keep(socket: Socket): void {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
  }

  const server = createServer((client) => {
    keep(client);
    if (target === undefined) {
      client.resetAndDestroy();
      return;
    }
    const host = connect(target, '127.0.0.1');
    keep(host);
    client.setNoDelay(true);
    host.setNoDelay(true);
    client.pipe(host).pipe(client);
    client.once('close', () => host.destroy());
    host.once('close', () => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  function cut(): void {
    target = undefined;
    for (const socket of sockets) socket.resetAndDestroy();
  }
  return {
    port: (server.address() as AddressInfo).port,
    leadTo(port) {
      target = port;
    },
    cut,
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
