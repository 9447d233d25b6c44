import { RondoError } from '@rondo/protocol/values';
import type { LeaseChanges } from './lease-table.ts';

/** One host's right to a session tree. */
export interface Lease {
  /** Greater than the epoch of every owner before. */
  readonly epoch: number;
  /** Makes the epoch greater than one that the log has recorded, where the table was lost. */
  raise(recorded: number): void;
  /** @throws RondoError `session.write_failed` when another host owns the tree now, or nobody can tell. */
  assertOwned(): void;
  /** Resolves when others may claim the tree. Never rejects. */
  release(): Promise<void>;
}

export interface ClaimOptions {
  /** The session is new: its epochs start at 1. */
  readonly fresh?: boolean;
}

/** Who owns which session tree, among all hosts of a home. */
export interface Owners {
  /** @throws RondoError `session.in_use` with the owner's `pid`, `host` and `since`, and its `address` where it has one. */
  claim(sessionId: string, options?: ClaimOptions): Promise<Lease>;
  /** Says where this host listens, for those that want a session of it. */
  announce?(address: string): Promise<void>;
  /** Another host that has the session's lease, or had it when it died. Claims nothing. */
  ownerOf?(sessionId: string): Promise<Owner | undefined>;
  /** What became of leases behind a place that it told before, 0 for all. Undefined where nobody can tell. Claims nothing. */
  changes?(place: number): Promise<LeaseChanges | undefined>;
  /** Gives up every claim. */
  close(): void;
}

export interface Owner {
  readonly pid: number;
  readonly host: string;
  /** ISO 8601. */
  readonly since: string;
  /** A Unix socket, or a named pipe on Windows, where the owner speaks the ordinary wire. */
  readonly address?: string;
}

export function inUse(sessionId: string, owner: Owner): RondoError {
  return new RondoError(
    'session.in_use',
    `Session ${sessionId} is open in process ${owner.pid} on ${owner.host} since ${owner.since}. End that process, or work with the session from there.`,
    {
      details: {
        sessionId,
        pid: owner.pid,
        host: owner.host,
        since: owner.since,
        ...(owner.address === undefined ? {} : { address: owner.address }),
      },
    },
  );
}

export function ownershipLost(sessionId: string, reason: string): RondoError {
  return new RondoError(
    'session.write_failed',
    `Session ${sessionId} is no longer owned by this process: ${reason}. Open it again.`,
    {
      details: { sessionId, reason },
    },
  );
}
