import type { OpenCallback } from '@rondo/protocol';

/** The question with the place of its opening: what was opened behind a cursor is told by it. */
export function placedCallback<Callback extends OpenCallback>(callback: Callback, seq: number): Callback {
  return callback.type === 'unknown' || callback.seq !== undefined ? callback : { ...callback, seq };
}
