import type { JsonObject } from '@rondo/protocol';
import type { ReplyReaderOptions } from './dialect.ts';
import { parseJsonObject } from './json.ts';

/** An event whose `type` says what it is. Throws what `broken` makes for anything else. */
export function readTypedEvent(data: string, broken: ReplyReaderOptions['broken']): JsonObject {
  let event: JsonObject | undefined;
  try {
    event = parseJsonObject(data);
  } catch {
    throw broken('an event of it is not JSON');
  }
  if (event === undefined || typeof event['type'] !== 'string') throw broken('an event of it has no type');
  return event;
}
