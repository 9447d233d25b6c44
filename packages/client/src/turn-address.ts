import type { EndedRecord, TurnRecord } from '@rondo/protocol';
import { formatCursor, isRondoError } from '@rondo/protocol/values';
import type { Connection, RequestOptions } from './connection/connection.ts';
import { freezeRecord } from './record/freeze-record.ts';

/** A turn as the reading side of the client knows it. */
export interface TurnAddress {
  readonly connection: Connection;
  /** Names the place that the session is in. */
  readonly home: string;
  readonly sessionId: string;
  readonly turnId: string;
  /** The host named this turn in an answer: it exists, whether or not its session lists it already. */
  readonly isAccepted: boolean;
  /** The turn's record of this moment, frozen. @throws RondoError `turn.not_found`, unless the turn was accepted. */
  read(options?: RequestOptions): Promise<TurnRecord>;
}

export function addressTurn(address: Omit<TurnAddress, 'read'>): TurnAddress {
  const { connection, sessionId, turnId, isAccepted } = address;
  return {
    ...address,
    async read(options) {
      try {
        return freezeRecord(await connection.request('turn/read', { sessionId, turnId }, options));
      } catch (error) {
        if (!isAccepted || !isRondoError(error, 'turn.not_found')) throw error;
        return freezeRecord(await unlistedRecord(address, options));
      }
    },
  };
}

/** Of a turn that the session does not list: it is at work, or ended as its session did. */
async function unlistedRecord(
  { connection, sessionId, turnId }: Omit<TurnAddress, 'read'>,
  options: RequestOptions | undefined,
): Promise<TurnRecord> {
  const facts = { sessionId, turnId, text: '' };
  const { status, termination, cursor } = await connection.request('session/read', { sessionId }, options);
  if (status !== 'terminated') return { type: 'running', ...facts, cursor: formatCursor({ sessionId, seq: 0 }) };
  const ended = { ...facts, cursor, toolCalls: [], usage: [], terminalReason: 'session_ended' };
  if (termination?.type === 'failed') {
    const message = termination.message ?? `session ${sessionId} failed`;
    return { type: 'failed', ...ended, error: { message } } satisfies EndedRecord;
  }
  return { type: 'interrupted', ...ended, cause: termination?.type === 'cancelled' ? 'cancelled' : 'session_ended' };
}
