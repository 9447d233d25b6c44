import { RondoError } from '@rondo/protocol/values';

/** One host's right to a session tree. */
export interface Lease {
  /** Greater than the epoch of every owner before. */
  readonly epoch: number;
  /** Makes the epoch greater than one that the log has recorded, where the table was lost. */
  raise(recorded: number): void;
  /** @throws RondoError `session.write_failed` when another host owns the tree now, or nobody can tell. */
  assertOwned(): void;
  release(): void;
}

export interface ClaimOptions {
  /** The session is new: its epochs start at 1. */
  readonly fresh?: boolean;
}

/** Who owns which session tree, among all hosts of a home. */
export interface Owners {
  /** @throws RondoError `session.in_use` with the owner's `pid`, `host` and `since`. */
  claim(sessionId: string, options?: ClaimOptions): Promise<Lease>;
  /** Gives up every claim. */
  close(): void;
}

export interface Owner {
  readonly pid: number;
  readonly host: string;
  /** ISO 8601. */
  readonly since: string;
}

export function inUse(sessionId: string, owner: Owner): RondoError {
  return new RondoError(
    'session.in_use',
    `Session ${sessionId} is open in process ${owner.pid} on ${owner.host} since ${owner.since}. End that process, or work with the session from there.`,
    { details: { sessionId, pid: owner.pid, host: owner.host, since: owner.since } },
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
