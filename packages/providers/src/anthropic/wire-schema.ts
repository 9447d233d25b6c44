import type { ErrorBody, WireError } from '../dialect/dialect.ts';
import { isCount, isWireObject } from '../dialect/json.ts';

/**
 * What the Messages API sends, as far as we read it. Reading is loose: a field we do not know is passed over, an event,
 * block or delta of a new kind is no error. The guards check what the reader relies on, and nothing else, because they
 * run for every delta.
 */
export interface WireUsage {
  readonly input_tokens?: number | null;
  readonly output_tokens?: number | null;
  readonly cache_read_input_tokens?: number | null;
  readonly cache_creation_input_tokens?: number | null;
  readonly cache_creation?: {
    readonly ephemeral_5m_input_tokens?: number;
    readonly ephemeral_1h_input_tokens?: number;
  } | null;
}

/** The error of `{"type":"error","error":{…}}`, with what is missing filled in. Undefined when it is none. */
export function readWireError(value: unknown): WireError | undefined {
  if (!isWireObject(value)) return undefined;
  const error = isWireObject(value['error']) ? value['error'] : undefined;
  if (error === undefined) return undefined;
  const { type, message } = error;
  return {
    type: typeof type === 'string' ? type : 'unknown_error',
    message: typeof message === 'string' ? message : '',
  };
}

/** Text of an API error body, whether it is the vendor's JSON or what some proxy said. */
export function parseErrorBody(text: string): ErrorBody {
  try {
    const body: unknown = JSON.parse(text);
    const error = readWireError(body);
    const requestId = isWireObject(body) ? body['request_id'] : undefined;
    return { ...(error && { error }), ...(typeof requestId === 'string' && { requestId }) };
  } catch {
    return {};
  }
}

/** The usage fields that are numbers; anything else is as if it were absent. */
export function readWireUsage(value: unknown): WireUsage {
  if (!isWireObject(value)) return {};
  const creation = value['cache_creation'];
  const usage: Record<string, unknown> = {};
  for (const field of ['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens']) {
    if (isCount(value[field])) usage[field] = value[field];
  }
  if (isWireObject(creation) && isCount(creation['ephemeral_1h_input_tokens'])) {
    usage['cache_creation'] = { ephemeral_1h_input_tokens: creation['ephemeral_1h_input_tokens'] };
  }
  return usage;
}
