import type { JsonObject, JsonValue } from '@rondo/protocol';
import type { ErrorBody, WireError } from '../dialect/dialect.ts';
import { isCount, isJsonObject, isWireObject, stringOf, type WireObject } from '../dialect/json.ts';

/**
 * What servers of chat completions send, as far as it is read. Reading is loose, since hardly any two of them send the
 * same: what is not of the expected kind counts as absent.
 */
export interface WireUsage {
  readonly promptTokens?: number;
  readonly completionTokens?: number;
  readonly cachedTokens?: number;
  readonly cacheWriteTokens?: number;
}

/** The usage of a chunk, in whichever place its server puts it. Undefined where it has none. */
export function readUsage(chunk: JsonObject, choice: JsonObject | undefined): WireUsage | undefined {
  const groq = chunk['x_groq'];
  const places = [chunk['usage'], choice?.['usage'], isJsonObject(groq) ? groq['usage'] : undefined];
  const usage = places.find(isJsonObject);
  if (usage !== undefined) return readCounts(usage);
  const timings = chunk['timings'];
  return isJsonObject(timings) ? readTimings(timings) : undefined;
}

function readCounts(usage: JsonObject): WireUsage {
  const details = isJsonObject(usage['prompt_tokens_details']) ? usage['prompt_tokens_details'] : {};
  return {
    ...count('promptTokens', usage['prompt_tokens']),
    ...writtenTokens(usage),
    ...count('cachedTokens', details['cached_tokens'], usage['prompt_cache_hit_tokens']),
    ...count('cacheWriteTokens', details['cache_write_tokens']),
  };
}

/** Some leave reasoning out of what was written, and count it in the total alone. */
function writtenTokens({
  prompt_tokens: read,
  completion_tokens: written,
  total_tokens: total,
}: JsonObject): WireUsage {
  if (!isCount(written)) return {};
  const rest = isCount(total) && isCount(read) ? total - read : 0;
  return { completionTokens: Math.max(written, rest) };
}

/** llama.cpp counts by itself in every last chunk, and leaves what was cached out of the prompt. */
function readTimings(timings: JsonObject): WireUsage | undefined {
  const { prompt_n: read, cache_n: cached, predicted_n: written } = timings;
  if (!isCount(read) || !isCount(written)) return undefined;
  const cachedTokens = isCount(cached) ? cached : 0;
  return { promptTokens: read + cachedTokens, completionTokens: written, cachedTokens };
}

function count(name: keyof WireUsage, ...values: readonly (JsonValue | undefined)[]): WireUsage {
  const value = values.find(isCount);
  return value === undefined ? {} : { [name]: value };
}

/**
 * The error of a body or a chunk, in any of the shapes that are around: an object, a text, fields at the top, or what
 * the server's web framework says. Undefined when there is none.
 */
export function readWireError(value: unknown): WireError | undefined {
  if (!isWireObject(value)) return undefined;
  const { error, detail } = value;
  if (isWireObject(error)) return errorOf(error);
  if (typeof error === 'string' && error !== '') return named(typeOf(value), error);
  if (value['object'] === 'error') return errorOf(value);
  if (typeof value['error_message'] === 'string') return named(stringOf(value['error_type']), value['error_message']);
  if (detail !== undefined && detail !== null)
    return named('', typeof detail === 'string' ? detail : JSON.stringify(detail));
  return undefined;
}

function errorOf(error: WireObject): WireError {
  const metadata = isWireObject(error['metadata']) ? error['metadata'] : {};
  // OpenRouter's own message is often no more than that the provider failed.
  const raw = stringOf(metadata['raw']);
  const type = Array.isArray(metadata['reasons']) ? 'moderation' : typeOf(error);
  return named(type, `${stringOf(error['message'])}${raw === '' ? '' : ` (${raw})`}`);
}

/** A code in words says more than the type, and the type more than a number. */
function typeOf({ type, code }: WireObject): string {
  if (typeof code === 'string' && code !== '') return code;
  if (typeof type === 'string' && type !== '') return type;
  return typeof code === 'number' ? String(code) : '';
}

function named(type: string, message: string): WireError {
  if (type !== '') return { type, message };
  return { type: /context (length|window|size)/i.test(message) ? 'context_length_exceeded' : 'unknown_error', message };
}

/** Text of an error body, whether it is a server's JSON or what some proxy said. */
export function parseErrorBody(text: string): ErrorBody {
  try {
    const body: unknown = JSON.parse(text);
    // Google's gateway wraps its error in a list.
    const error = readWireError(Array.isArray(body) ? body[0] : body);
    return error === undefined ? {} : { error };
  } catch {
    return {};
  }
}
