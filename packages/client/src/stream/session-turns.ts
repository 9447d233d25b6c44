import type { TurnInfo } from '@rondo/protocol';
import type { Connection, RequestOptions } from '../connection/connection.ts';
import { freezeRecord } from '../record/freeze-record.ts';

/** A session's turns, the last one first, page by page. Nothing is sent before the first `next()`. */
export async function* sessionTurns(
  connection: Connection,
  sessionId: string,
  { signal }: RequestOptions = {},
): AsyncGenerator<TurnInfo, void, void> {
  let before: string | undefined;
  for (;;) {
    const params = { sessionId, ...(before === undefined ? {} : { before }) };
    const page = await connection.request('turn/list', params, signal === undefined ? {} : { signal });
    for (const turn of page.turns) yield freezeRecord(turn);
    if (page.next === undefined) return;
    before = page.next;
  }
}
