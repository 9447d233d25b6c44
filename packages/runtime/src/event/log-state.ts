import type { AnyEvent } from '@rondo/protocol';
import { isRequiredUnknown } from './required-event.ts';
import { emptySummary, foldSummary, type SessionSummary } from './session-summary.ts';

/** What a store knows of a log up to a place behind a whole batch. JSON, so that it can be cached and continued. */
export interface LogState {
  readonly offset: number;
  readonly seq: number;
  /** Time of the last event. */
  readonly at: string;
  /** The greatest epoch that an owner has recorded. */
  readonly epoch: number;
  readonly damagedLines: number;
  /** Holds a required event that this version does not know. */
  readonly readOnly: boolean;
  readonly summary: SessionSummary;
}

export const emptyLogState: LogState = {
  offset: 0,
  seq: 0,
  at: '',
  epoch: 0,
  damagedLines: 0,
  readOnly: false,
  summary: emptySummary,
};

/** The state behind one more batch. */
export function foldBatch(
  sessionId: string,
  state: LogState,
  batch: { readonly events: readonly AnyEvent[]; readonly offset: number; readonly damagedLines: number },
): LogState {
  let { seq, at, epoch, readOnly, summary } = state;
  for (const event of batch.events) {
    seq = event.seq;
    at = event.at;
    if (event.type === 'session.acquired') epoch = Math.max(epoch, event.epoch);
    readOnly ||= isRequiredUnknown(event);
    summary = foldSummary(sessionId, summary, event);
  }
  return {
    offset: batch.offset,
    seq,
    at,
    epoch,
    damagedLines: state.damagedLines + batch.damagedLines,
    readOnly,
    summary,
  };
}
