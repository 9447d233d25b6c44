import type { AnyEvent, StreamEvent } from '@rondo/protocol';
import { isEnded } from '../record/ended-record.ts';
import { type OutputType, withOutput } from '../record/turn-state.ts';
import type { TurnAddress } from '../turn-address.ts';
import { lostError, observeEvents } from './observe-events.ts';
import { positionIn, seenBy, type Position } from './position.ts';
import { pushIterable, type PushSink } from './push-iterable.ts';
import { type EventsOptions, untilAborted } from './session-events.ts';

/**
 * A turn's own events up to its `turn.ended`. A position at or past the turn's end yields nothing. Nothing is sent
 * before the first `next()`.
 */
export function turnEvents(
  turn: TurnAddress,
  options: EventsOptions,
  outputType?: OutputType<unknown>,
): AsyncIterable<StreamEvent> {
  const { after, deltas, signal } = options;
  return pushIterable((sink) =>
    untilAborted(sink, signal, `the events of turn ${turn.turnId}`, () => {
      const position = after === undefined ? undefined : positionIn(turn.sessionId, after);
      return followTurn(turn, { position, deltas, outputType }, sink);
    }),
  );
}

interface FollowOptions {
  readonly position: Position | undefined;
  readonly deltas: boolean | readonly string[] | undefined;
  readonly outputType: OutputType<unknown> | undefined;
}

function followTurn(
  turn: TurnAddress,
  { position, deltas, outputType }: FollowOptions,
  sink: PushSink<StreamEvent>,
): () => void {
  let hasLeft = false;
  let unsubscribe = (): void => {};

  async function begin(): Promise<void> {
    const end = await knownEnd(turn, position);
    if (hasLeft) return;
    if (end !== undefined && position !== undefined && position.seq >= end) {
      sink.end();
      return;
    }
    unsubscribe = observeEvents(turn.connection, subscriptionTo(turn, position, deltas), {
      events(batch) {
        for (const event of batch) {
          if (isOfTurn(event, turn.turnId)) sink.push(withOutput(event, outputType));
          if (isLast(event, turn.turnId, end)) sink.end();
        }
      },
      // The host gave the session up while the turn was at work.
      end: (error, cursor) => sink.end(error ?? lostError(turn.sessionId, cursor, undefined)),
      room: sink.room,
    });
  }

  begin().catch(sink.end);
  return () => {
    hasLeft = true;
    unsubscribe();
  };
}

/**
 * A `seq` by which the turn had ended, where it has; read from the host, which also says when there is no such turn.
 * From the start of a turn that is known to exist, its end is always still ahead and nothing is read.
 */
async function knownEnd(turn: TurnAddress, position: Position | undefined): Promise<number | undefined> {
  if (turn.isAccepted && position === undefined) return undefined;
  const record = await turn.read();
  return isEnded(record) ? seenBy(record) : undefined;
}

export function subscriptionTo(
  turn: TurnAddress,
  position: Position | undefined,
  deltas?: boolean | readonly string[],
) {
  return {
    sessionId: turn.sessionId,
    ...(position === undefined ? { fromTurn: turn.turnId } : { after: position.cursor }),
    ...(deltas === undefined ? {} : { deltas: typeof deltas === 'boolean' ? deltas : [...deltas] }),
  };
}

export function isOfTurn(event: StreamEvent, turnId: string): boolean {
  return 'turnId' in event && event.turnId === turnId;
}

function isLast(event: StreamEvent, turnId: string, end: number | undefined): boolean {
  if (!isDurable(event)) return false;
  return (event.type === 'turn.ended' && event.turnId === turnId) || (end !== undefined && event.seq >= end);
}

export function isDurable(event: StreamEvent): event is AnyEvent {
  return 'seq' in event;
}
