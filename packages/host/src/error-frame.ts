import type { ErrorFrame, JsonValue } from '@rondo/protocol';
import { isRondoError, RondoError, type RondoErrorJson } from '@rondo/protocol/values';

/** Called with what nobody expected: a thrown value that is no `RondoError`, and the method that threw it. */
export type ReportBug = (bug: unknown, method: string) => void;

/** What the other end may know of a thrown value. Anything but a `RondoError` is a bug: reported here, `internal` there. */
export function describeError(thrown: unknown, report: (bug: unknown) => void): RondoErrorJson {
  if (isRondoError(thrown)) return thrown.toJSON();
  report(thrown);
  return new RondoError('internal', 'the host failed while it handled this request; its log says more').toJSON();
}

/** JSON-RPC's numbers, where it has one for the code; a Rondo error is otherwise -32000. */
const numbers: Readonly<Record<string, number>> = {
  'protocol.frame_invalid': -32600,
  'protocol.frame_too_large': -32600,
  'protocol.method_unknown': -32601,
  'protocol.params_invalid': -32602,
  internal: -32603,
};

export function errorFrame(
  id: string | number | null,
  error: RondoErrorJson,
  code = numbers[error.code] ?? -32000,
): ErrorFrame {
  const data: JsonValue = { ...error, details: error.details ?? {} };
  return { jsonrpc: '2.0', id, error: { code, message: error.message, data } };
}
