import { connect, type Client } from '@rondo/client';

/** A connection that nobody uses for that long is closed. */
const IDLE_MS = 5000;

/** One connection to each owner of a session that is wanted here. */
export interface OwnerConnections {
  /** Does something over the connection to the owner at the address. */
  use<Result>(address: string, work: (owner: Client) => Promise<Result>): Promise<Result>;
  /** Takes the connection into use until it is left. */
  take(address: string): Promise<UsedConnection>;
  close(): void;
}

export interface UsedConnection {
  readonly owner: Client;
  leave(): void;
}

interface Shared {
  readonly owner: Client;
  users: number;
  idle: NodeJS.Timeout | undefined;
}

export function createOwnerConnections(): OwnerConnections {
  const open = new Map<string, Promise<Shared>>();
  let closed = false;

  function begin(address: string): Promise<Shared> {
    const opening = connectTo(address);
    open.set(address, opening);
    void opening
      .then(({ owner }) => owner.closed)
      .finally(() => {
        if (open.get(address) === opening) open.delete(address);
      });
    return opening;
  }

  async function take(address: string): Promise<UsedConnection> {
    const shared = await (open.get(address) ?? begin(address));
    clearTimeout(shared.idle);
    if (closed) shared.owner.close();
    shared.users += 1;
    return {
      owner: shared.owner,
      leave() {
        shared.users -= 1;
        if (shared.users === 0) shared.idle = setTimeout(() => shared.owner.close(), IDLE_MS).unref();
      },
    };
  }

  return {
    async use(address, work) {
      const { owner, leave } = await take(address);
      try {
        return await work(owner);
      } finally {
        leave();
      }
    },
    take,
    close() {
      closed = true;
      for (const opening of open.values()) void opening.then(({ owner }) => owner.close());
    },
  };
}

async function connectTo(address: string): Promise<Shared> {
  const { socketChannel } = await import('@rondo/client/node');
  // A lost connection is not opened again here: the session may have another owner by then.
  const owner = connect(({ signal }) => socketChannel(address, { signal }), { reconnect: false });
  return { owner, users: 0, idle: undefined };
}
