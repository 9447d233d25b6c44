import type { StreamEvent, TurnRecord } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import { type After, positionIn } from '../stream/position.ts';
import type { TurnAddress } from '../turn-address.ts';
import { leaveAfter } from './leave-after.ts';
import { watchTurn } from './watch-turn.ts';

export interface WaitOptions {
  /** A question that was open at this place already does not end the wait. Absent is the turn's start. */
  readonly after?: After;
  /** After this the wait gives the record as it is then. Absent is no limit. */
  readonly timeoutMs?: number;
  /** Leaves the wait with `operation.aborted`; the turn goes on. */
  readonly signal?: AbortSignal;
  /** Gets each event of the turn, in order, one at a time: a promise is waited for. What it throws ends the wait. */
  readonly onEvent?: (event: StreamEvent) => void | Promise<void>;
}

/**
 * Waits until the turn has ended, or is blocked by a question that was opened after `after` and is still open, and gives
 * its record. Leaving the wait, by timeout or abort, stops nothing.
 */
export async function waitForTurn(turn: TurnAddress, options: WaitOptions): Promise<TurnRecord> {
  const { after, timeoutMs, signal, onEvent } = options;
  const position = after === undefined ? undefined : positionIn(turn.sessionId, after);
  if (timeoutMs !== undefined && !(timeoutMs >= 0))
    throw new TypeError(`timeoutMs is ${timeoutMs}; pass 0 or more milliseconds`);
  if (signal?.aborted) throw abortedWait(turn, signal);

  const watch = watchTurn(turn, {
    ...(position === undefined ? {} : { position }),
    ...(onEvent === undefined ? {} : { onEvent }),
  });
  if (timeoutMs === undefined && signal === undefined) return watch.result;

  const leaving = leaveAfter(timeoutMs, signal);
  try {
    const outcome = await Promise.race([watch.result, leaving.reason]);
    if (outcome === 'timeout') return await turn.read();
    if (outcome === 'abort') throw abortedWait(turn, signal);
    return outcome;
  } finally {
    leaving.dispose();
    watch.leave();
  }
}

function abortedWait({ sessionId, turnId }: TurnAddress, signal: AbortSignal | undefined): RondoError {
  return new RondoError(
    'operation.aborted',
    `stopped waiting for turn ${turnId} of session ${sessionId}; the turn goes on. To stop it: ` +
      `client.session("${sessionId}").turn("${turnId}").interrupt()`,
    { details: { sessionId, turnId }, cause: signal?.reason },
  );
}
