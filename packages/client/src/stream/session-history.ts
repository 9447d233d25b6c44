import type { HistoryItem } from '@rondo/protocol';
import type { Connection, RequestOptions } from '../connection/connection.ts';
import { freezeRecord } from '../record/freeze-record.ts';
import { type After, positionIn } from './position.ts';

export interface HistoryOptions extends RequestOptions {
  /** A record or a cursor of the session. */
  readonly after?: After;
}

/** A session's history, page by page. Nothing is sent before the first `next()`. */
export async function* sessionHistory(
  connection: Connection,
  sessionId: string,
  { after, signal }: HistoryOptions = {},
): AsyncGenerator<HistoryItem, void, void> {
  let cursor = after === undefined ? undefined : positionIn(sessionId, after).cursor;
  for (;;) {
    const params = { sessionId, ...(cursor === undefined ? {} : { after: cursor }) };
    const page = await connection.request('history/list', params, signal === undefined ? {} : { signal });
    for (const item of page.items) yield freezeRecord(item);
    if (!page.more) return;
    cursor = page.cursor;
  }
}
