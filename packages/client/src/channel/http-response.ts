import type { DecodedFrame, Frame, JsonObject, JsonValue } from '@rondo/protocol';
import { type ErrorCode, isRondoError, RondoError } from '@rondo/protocol/values';

export type Decode = (text: string) => DecodedFrame;

type RequestId = string | number;

/** What a response says of an answer. */
interface ResponseLike {
  readonly status: number;
  readonly url: string;
}

/** The one response frame of a request. @throws RondoError where what came is none, and says nothing of the request. */
export function responseFrame(id: RequestId, response: ResponseLike, text: string, decode: Decode): Frame {
  const decoded = decode(text);
  if (!decoded.ok || 'method' in decoded.frame) return refusalFrame(id, response, text);
  // An error without an ID is about the one frame that was sent.
  return { ...decoded.frame, id };
}

/** The answer to a subscription that the host did not open. */
export function errorFrame(id: RequestId, response: ResponseLike, text: string, decode: Decode): Frame {
  const frame = responseFrame(id, response, text, decode);
  if ('error' in frame) return frame;
  throw unexpected(response);
}

/** Whether the host refuses, or ends, because it goes away. */
export function saysClosing(frame: Frame): boolean {
  if ('error' in frame) return codeOf(frame.error.data) === 'host.closing';
  if (!('method' in frame) || frame.method !== 'events/end') return false;
  return codeOf(errorIn(frame.params)) === 'host.closing';
}

/** What an end of events says was wrong, if so. */
export function errorIn(end: JsonValue | undefined): JsonValue | undefined {
  return isObject(end) ? end.error : undefined;
}

function codeOf(error: JsonValue | undefined): JsonValue | undefined {
  return isObject(error) ? error.code : undefined;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Why a channel is over, from what a fetch rejected with. */
export function noHost(base: string, error: unknown): RondoError<string> {
  if (isRondoError(error)) return error;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new RondoError('channel.closed', `the host at ${base} cannot be reached: ${reason}`, { cause: error });
}

/** What statuses say that come without a frame, from a host or from what stands before it. */
const refusals: Readonly<Record<number, ErrorCode>> = {
  401: 'access.unauthenticated',
  403: 'access.denied',
  413: 'protocol.frame_too_large',
};

function refusalFrame(id: RequestId, response: ResponseLike, text: string): Frame {
  const code = refusals[response.status];
  if (code === undefined) throw unexpected(response);
  const said = text.length > 0 && text.length < 500 ? `: ${text}` : '';
  const error = new RondoError(code, `${response.url} answered with status ${response.status}${said}`, {
    details: { status: response.status },
  });
  const data: JsonValue = { ...error.toJSON(), details: error.details };
  return { jsonrpc: '2.0', id, error: { code: -32000, message: error.message, data } };
}

function unexpected({ status, url }: ResponseLike): RondoError {
  return new RondoError(
    'channel.closed',
    `${url} answered with status ${status} and no frame; is it the address of a Rondo host?`,
    { details: { status } },
  );
}
