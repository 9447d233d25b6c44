import type { EndedRecord, TurnRecord, UnknownOutcomeRecord } from '@rondo/protocol';

/** Whether the turn is over, also in a way this version does not know. */
export function isEnded(record: TurnRecord): record is EndedRecord | UnknownOutcomeRecord {
  return record.type !== 'running' && record.type !== 'blocked';
}
