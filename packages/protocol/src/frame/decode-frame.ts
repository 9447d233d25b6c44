import { isDeeperThan } from '../json/is-deeper-than.ts';
import { ErrorFrame, NotificationFrame, RequestFrame, ResultFrame, type Frame } from './frame.ts';

export type DecodedFrame =
  | { readonly ok: true; readonly frame: Frame }
  | {
      readonly ok: false;
      readonly reason: 'not-json' | 'invalid';
      readonly message: string;
      readonly id: string | number | null;
    };

/** One frame from its text. Never throws: what is wrong is a value, with the request's ID where one could be read. */
export function decodeFrame(text: string): DecodedFrame {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { ok: false, reason: 'not-json', message: error instanceof Error ? error.message : String(error), id: null };
  }
  return readFrame(value);
}

/** A frame from a value that is already parsed. */
export function readFrame(value: unknown): DecodedFrame {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { ok: false, reason: 'invalid', message: 'a frame is a JSON object', id: null };
  }
  const id = 'id' in value && (typeof value.id === 'string' || typeof value.id === 'number') ? value.id : null;
  if (!('method' in value) && 'result' in value && 'error' in value) {
    return { ok: false, reason: 'invalid', message: 'a response has a result or an error, not both', id };
  }
  const isRequest = 'method' in value && 'id' in value;
  if (isRequest && 'params' in value && isDeeperThan(MOST_LEVELS, value.params)) return tooDeep(id);
  const result = parse(value);
  if (result === undefined) return tooDeep(id);
  if (result.success) return { ok: true, frame: result.data };
  const issue = result.error.issues[0];
  const where = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
  return { ok: false, reason: 'invalid', message: `${where}${issue?.message ?? 'not a frame'}`, id };
}

/**
 * How deep a request's params may go: what is stored of them stands deeper in events, results and records, and every
 * reader of those has to come to its end, whatever is on its stack.
 */
const MOST_LEVELS = 512;

function tooDeep(id: string | number | null): DecodedFrame {
  return { ok: false, reason: 'invalid', message: 'the frame is nested too deeply', id };
}

/** Undefined when the value is deeper than the stack. */
function parse(value: object) {
  try {
    return schemaFor(value).safeParse(value);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function schemaFor(value: object) {
  if ('method' in value) return 'id' in value ? RequestFrame : NotificationFrame;
  return 'error' in value ? ErrorFrame : ResultFrame;
}
