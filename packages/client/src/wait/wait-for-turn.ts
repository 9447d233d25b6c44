import type { StreamEvent, TurnRecord } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import { type HandleContext, requireOutputType } from '../handle-context.ts';
import { numberWait } from '../handlers/callback-work.ts';
import { type OutputType, turnState, type TurnState, withOutput } from '../record/turn-state.ts';
import { type After, positionIn } from '../stream/position.ts';
import type { TurnAddress } from '../turn-address.ts';
import { leaveAfter } from './leave-after.ts';
import { watchTurn } from './watch-turn.ts';

export interface WaitOptions<T = string> {
  /** A question that was open at this place already does not end the wait. Absent is the turn's start. */
  readonly after?: After;
  /**
   * After this the wait gives the record as it is then. Absent is no limit. The time of handlers counts, but for that of
   * client tools.
   */
  readonly timeoutMs?: number;
  /** Leaves the wait with `operation.aborted`; the turn goes on. */
  readonly signal?: AbortSignal;
  /** Gets each event of the turn, in order, one at a time: a promise is waited for. What it throws ends the wait. */
  readonly onEvent?: (event: StreamEvent) => void | Promise<void>;
  /** What the text of a completed turn is parsed as. Absent is the handle's own. */
  readonly outputType?: OutputType<T>;
}

/**
 * Waits until the turn has ended, or is blocked by a question that was opened after `after`, is still open and is not
 * answered by a handler, and gives its state. Leaving the wait, by timeout or abort, stops nothing, no handler either.
 */
export async function waitForTurn<T>(
  turn: TurnAddress,
  options: WaitOptions<T>,
  context: HandleContext<T>,
): Promise<TurnState<T>> {
  const { after, timeoutMs, signal, onEvent, outputType = context.outputType } = options;
  const position = after === undefined ? undefined : positionIn(turn.sessionId, after);
  if (timeoutMs !== undefined && !(timeoutMs >= 0))
    throw new TypeError(`timeoutMs is ${timeoutMs}; pass 0 or more milliseconds`);
  if (options.outputType !== undefined) requireOutputType(options.outputType);
  if (signal?.aborted) throw abortedWait(turn, signal);
  const stateOf = (record: TurnRecord): TurnState<T> => turnState(record, outputType);

  const leaving = timeoutMs === undefined && signal === undefined ? undefined : leaveAfter(timeoutMs, signal);
  const watch = watchTurn(turn, {
    ...(position === undefined ? {} : { position }),
    ...(after === undefined || typeof after === 'string' ? {} : { seen: after }),
    ...(onEvent === undefined ? {} : { onEvent: (event) => onEvent(withOutput(event, outputType)) }),
    answering: { connection: turn.connection, home: turn.home, handlers: context.handlers, wait: numberWait() },
    stopClock: leaving?.stopClock ?? (() => () => {}),
  });
  if (leaving === undefined) return stateOf(await watch.result);

  try {
    const outcome = await Promise.race([watch.result, leaving.reason]);
    // Nobody is asked, or told of an event, once the time is over.
    watch.leave();
    if (outcome === 'timeout') return stateOf(await recordNow(turn, signal));
    if (outcome === 'abort') throw abortedWait(turn, signal);
    return stateOf(outcome);
  } finally {
    leaving.dispose();
    watch.leave();
  }
}

async function recordNow(turn: TurnAddress, signal: AbortSignal | undefined): Promise<TurnRecord> {
  try {
    return await turn.read(signal === undefined ? {} : { signal });
  } catch (error) {
    throw signal?.aborted === true ? abortedWait(turn, signal) : error;
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
