import type { JsonObject } from '@rondo/protocol';
import type { ModelRequest } from '@rondo/runtime';
import { supportedEffort } from '../dialect/supported-effort.ts';
import { wellFormedJson } from '../dialect/json.ts';
import { isStrict, outputName, placeOutput } from '../dialect/place-output.ts';
import { appendList } from '../dialect/append-list.ts';
import { encodeMessage, encodeTool } from './encode-items.ts';
import type { OpenAIFacts } from './model-facts.ts';

export interface EncodeOptions {
  /** The ID on the wire. */
  readonly model: string;
  readonly facts: OpenAIFacts;
}

/** The API refuses a smaller one. */
const leastOutputTokens = 16;
const longestCacheKey = 64;

/**
 * The body of one request. It keeps nothing on the vendor's side: the whole conversation is in it, with the model's own
 * reasoning encrypted. Messages are joined from bytes made once and stand last, so that an earlier request of a session
 * is the beginning of a later one, but for its end.
 */
export function encodeRequest(request: ModelRequest, options: EncodeOptions): Buffer {
  const { maxOutputTokens, sessionId, tools } = request;
  const { reasons } = options.facts;
  return assemble(request, {
    model: options.model,
    stream: true,
    store: false,
    ...(reasons && { include: ['reasoning.encrypted_content'] }),
    ...(maxOutputTokens !== undefined && { max_output_tokens: Math.max(maxOutputTokens, leastOutputTokens) }),
    ...(sessionId !== undefined && { prompt_cache_key: cacheKey(sessionId) }),
    ...asked(request, options),
    ...temperatureOf(request, options),
    ...(tools.length > 0 && { parallel_tool_calls: true }),
  });
}

/** The body of a request that asks how many tokens the other one would be. */
export function encodeCount(request: ModelRequest, options: EncodeOptions): Buffer {
  return assemble(request, { model: options.model, ...asked(request, options) });
}

function assemble(request: ModelRequest, settings: JsonObject): Buffer {
  const { system, format } = placeOutput(request, () => true);
  const instructions = /\S/.test(system) ? { instructions: system } : {};
  const text = format && {
    format: { type: 'json_schema', name: outputName, strict: isStrict(format), schema: format.schema },
  };
  const head = wellFormedJson({ ...settings, ...(text && { text }), ...instructions });
  const chunks: Buffer[] = [Buffer.from(head.slice(0, -1))];
  if (request.tools.length > 0) appendList(chunks, 'tools', request.tools.map(encodeTool));
  const messages = request.messages.map(encodeMessage).filter(({ byteLength }) => byteLength > 0);
  appendList(chunks, 'input', messages);
  chunks.push(close);
  return Buffer.concat(chunks);
}

const close = Buffer.from('}');

/** How much it is to reason, and whether a summary of it is asked for; nothing of a model that does not reason. */
function asked({ thinking, effort }: ModelRequest, { facts }: EncodeOptions): JsonObject {
  const off = thinking?.type === 'disabled';
  const level = off ? leastEffort(facts) : supportedEffort(effort, facts.efforts ?? []);
  if (!facts.reasons) return {};
  const summarised = !off && (thinking === undefined || thinking.display !== 'omitted');
  const reasoning: JsonObject = {
    ...(level !== undefined && { effort: level }),
    ...(summarised && { summary: 'auto' }),
  };
  return Object.keys(reasoning).length > 0 ? { reasoning } : {};
}

/** The API takes none of a model while it reasons. */
function temperatureOf({ temperature, thinking }: ModelRequest, { facts }: EncodeOptions): JsonObject {
  const reasons = facts.reasons && !(thinking?.type === 'disabled' && facts.noEffort === 'none');
  return temperature === undefined || reasons ? {} : { temperature };
}

function leastEffort({ noEffort, efforts = [] }: OpenAIFacts): string | undefined {
  return noEffort ?? efforts[0];
}

/** The API takes a key of a bounded length; the end of a name is what tells it from others. */
function cacheKey(sessionId: string): string {
  return sessionId.slice(-longestCacheKey);
}
