import type { JsonObject, JsonValue, TokenUsage } from '@rondo/protocol';
import type { ErrorBody, WireError } from '../dialect/dialect.ts';
import { isCount, isJsonObject, isWireObject, type WireObject } from '../dialect/json.ts';

/**
 * What the Responses API sends, as far as we read it: events with a `type`, most of them about one item of the output,
 * which `output_index` names. Reading is loose: fields and events we do not know are passed over, items we do not know
 * are kept whole. The guards check what the reader relies on, and nothing else.
 */
export interface WireItem extends JsonObject {
  readonly type: string;
}

export function readItem(value: JsonValue | undefined): WireItem | undefined {
  return isJsonObject(value) && typeof value['type'] === 'string' ? (value as WireItem) : undefined;
}

/** The members that are objects; none for anything but a list. */
export function readObjects(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** Without the fields that are null: that stands for absent here, and is refused in some that come back. */
export function withoutNulls(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

/** The place of an item in the output, or its ID where a server leaves that out. */
export type OutputKey = number | string;

/** Which item an event is about. */
export function outputKey(event: JsonObject): OutputKey | undefined {
  const { output_index: index, item_id: id, item } = event;
  if (typeof index === 'number') return index;
  if (typeof id === 'string') return id;
  return isJsonObject(item) && typeof item['id'] === 'string' ? item['id'] : undefined;
}

/** The counts of a response. Its input counts what was read from and written to the cache; ours does not. */
export function readUsage(value: JsonValue | undefined, model: string | undefined): TokenUsage {
  const usage: WireObject = isJsonObject(value) ? value : {};
  const details: WireObject = isWireObject(usage['input_tokens_details']) ? usage['input_tokens_details'] : {};
  const read = countOf(details['cached_tokens']);
  const written = countOf(details['cache_write_tokens']);
  return {
    inputTokens: Math.max(0, countOf(usage['input_tokens']) - read - written),
    outputTokens: countOf(usage['output_tokens']),
    ...(isCount(details['cached_tokens']) && { cacheReadInputTokens: read }),
    ...(written > 0 && { cacheCreationInputTokens: written }),
    ...(isCount(usage['total_tokens']) && { totalTokens: usage['total_tokens'] }),
    ...(model !== undefined && { model }),
  };
}

function countOf(value: unknown): number {
  return isCount(value) ? value : 0;
}

/**
 * The error of a body, an `error` event or a failed response, wherever it stands. The `code` says more than the `type`
 * where there is one.
 */
export function readWireError(value: unknown): WireError | undefined {
  if (!isWireObject(value)) return undefined;
  const { error, response } = value;
  if (isWireObject(response)) return readWireError({ error: response['error'] });
  const fields = isWireObject(error) ? error : value;
  const { code, type, message } = fields;
  if (error === undefined && typeof message !== 'string') return undefined;
  const name = [code, type].find((each) => typeof each === 'string' && each !== '' && each !== 'error');
  return {
    type: typeof name === 'string' ? name : 'unknown_error',
    message: typeof message === 'string' ? message : typeof error === 'string' ? error : '',
  };
}

/** Text of an API error body, whether it is the vendor's JSON or what some proxy said. */
export function parseErrorBody(text: string): ErrorBody {
  try {
    const error = readWireError(JSON.parse(text));
    return error === undefined ? {} : { error };
  } catch {
    return {};
  }
}
