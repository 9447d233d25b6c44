import type { JsonObject } from '@rondo/protocol';
import type { ModelRequest } from '@rondo/runtime';
import { supportedEffort } from '../dialect/supported-effort.ts';
import { placeOutput } from '../dialect/place-output.ts';
import type { ConstrainedOutput } from '../dialect/constrained-output.ts';
import { encodeBlock, withCacheMark, type EncodedJson, type MessageEncoder } from './encode-message.ts';
import { encodeThinking } from './encode-thinking.ts';
import { joinMessages } from './join-messages.ts';
import type { AnthropicFacts } from './model-facts.ts';
import { currentContainer, unpairedBlocks } from './server-calls.ts';

export interface EncodeOptions {
  /** The ID on the wire. */
  readonly model: string;
  readonly catalog: AnthropicFacts;
  readonly maxOutputTokens: number;
  readonly encoder: MessageEncoder;
  /** Tools that run on the vendor's side, as the API names them. */
  readonly serverTools: readonly JsonObject[];
  /** Asks the API to leave out thinking that it would refuse because something before it has changed. */
  readonly dropsMovedThinking?: boolean;
  /** For a request that only counts tokens, which takes nothing about the reply. */
  readonly counts?: boolean;
}

/**
 * The body of one request, in pieces. Messages are bytes that were made once, and the marks of the prompt cache are spliced
 * in here: without them every message of an earlier request stands byte for byte in the later one, and all but the last
 * stand in one piece that the requests of a conversation share.
 */
export function encodeRequest(request: ModelRequest, options: EncodeOptions): readonly Buffer[] {
  const maxTokens = request.maxOutputTokens ?? options.maxOutputTokens;
  const effort = supportedEffort(request.effort, options.catalog.efforts);
  const thinking = encodeThinking(request, { ...options, maxTokens, effort });
  const { system, format } = placeOutput(request, (output) => options.catalog.outputFormat && isWithinLimits(output));
  const outputConfig = {
    ...(effort !== undefined && { effort }),
    ...(request.taskBudget && { task_budget: { type: 'tokens', total: request.taskBudget.total } }),
    ...(format && { format: { type: 'json_schema', schema: format.schema } }),
  };
  const head = JSON.stringify({
    model: options.model,
    ...(options.counts !== true && { max_tokens: maxTokens, stream: true }),
    ...(thinking && { thinking }),
    ...(Object.keys(outputConfig).length > 0 && { output_config: outputConfig }),
    ...(options.counts !== true && { ...replyFields(request), ...temperatureOf(request, thinking, options.catalog) }),
  });
  const chunks: Buffer[] = [Buffer.from(head.slice(0, -1))];
  if (/\S/.test(system)) appendList(chunks, 'system', [encodeSystem(system)]);
  const tools = [...options.serverTools.map(encodeBlock), ...request.tools.map(options.encoder.tool)];
  if (tools.length > 0) appendList(chunks, 'tools', tools);
  const leftOut = unpairedBlocks(request.messages);
  const messages = request.messages
    .map((message) => options.encoder.message(message, leftOut))
    .filter((message) => message !== undefined);
  chunks.push(openMessages);
  const last = messages.pop();
  const end = [...(last === undefined ? [] : withCacheMark(last)), closeList, close];
  return [Buffer.concat(chunks), joinMessages(messages), Buffer.concat(end)].filter(({ length }) => length > 0);
}

function replyFields({ sessionId, messages }: ModelRequest): object {
  const container = currentContainer(messages, Date.now());
  return {
    ...(sessionId !== undefined && { metadata: { user_id: JSON.stringify({ session_id: sessionId }) } }),
    ...(container !== undefined && { container }),
  };
}

/** The API refuses a schema with more of either. */
function isWithinLimits({ optional, unions }: ConstrainedOutput): boolean {
  return optional <= 24 && unions <= 16;
}

const mostTemperature = 1;

/** The API takes one up to 1, and none while the model thinks. */
function temperatureOf({ temperature }: ModelRequest, thinking: object | undefined, catalog: AnthropicFacts): object {
  const type = thinking !== undefined && 'type' in thinking ? thinking.type : undefined;
  const thinks = type === 'adaptive' || type === 'enabled' || catalog.thinking === 'always';
  return temperature === undefined || thinks ? {} : { temperature: Math.min(temperature, mostTemperature) };
}

const comma = Buffer.from(',');
const openMessages = Buffer.from(',"messages":[');
const closeList = Buffer.from(']');
const close = Buffer.from('}');

/** Appends `,"name":[…]` with the mark on the list's last member. */
function appendList(chunks: Buffer[], name: string, members: readonly EncodedJson[]): void {
  chunks.push(Buffer.from(`,"${name}":[`));
  members.forEach((member, index) => {
    if (index > 0) chunks.push(comma);
    if (index < members.length - 1) chunks.push(member.bytes);
    else chunks.push(...withCacheMark(member));
  });
  chunks.push(closeList);
}

let lastSystem: { readonly text: string; readonly encoded: EncodedJson } | undefined;

function encodeSystem(text: string): EncodedJson {
  if (lastSystem?.text !== text) lastSystem = { text, encoded: encodeBlock({ type: 'text', text }) };
  return lastSystem.encoded;
}
