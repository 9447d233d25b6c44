import type { AssistantEntry, JsonObject, JsonValue, ModelBlock, ReplyTextBlock, ToolCallBlock } from '@rondo/protocol';
import { type CallAliases, sendableName } from './call-alias.ts';
import { inlineBlock } from './inline-block.ts';
import { placeholder, sendableContent, type SendContentOptions } from './sendable-content.ts';
import { wellFormedObject } from './well-formed.ts';

/** A call of a reply: as its entry has it, and as it is sent. */
export interface SentCall {
  readonly block: number;
  readonly toolCallId: string;
  readonly alias: string;
}

export interface SendableReply {
  /** Empty: the reply is left out. */
  readonly content: readonly ModelBlock[];
  readonly calls: readonly SentCall[];
}

export interface SendReplyOptions extends SendContentOptions {
  /** Resolved name of the model that is asked. */
  readonly model: string;
  readonly aliases: CallAliases;
}

/** A reply as it may be sent back. The entry's own list when nothing had to change. */
export async function sendableReply(entry: AssistantEntry, options: SendReplyOptions): Promise<SendableReply> {
  const content: ModelBlock[] = [];
  const calls: SentCall[] = [];
  const sameModel = entry.model === options.model;
  for (const [index, block] of entry.content.entries()) {
    if (block.type === 'tool_call') content.push(await sendCall(ownOrBare(block, sameModel), index, calls, options));
    else if (block.type === 'text') content.push(...(await sendText(ownOrBare(block, sameModel), index, options)));
    else content.push(...sendBlock(block, index, entry, options));
  }
  // Providers refuse a reply that ends in reasoning, and one that is nothing else says nothing.
  while (content.at(-1)?.type === 'reasoning') content.pop();
  const same =
    content.length === entry.content.length && content.every((block, index) => block === entry.content[index]);
  return { content: same ? entry.content : content, calls };
}

async function sendText(block: ReplyTextBlock, index: number, options: SendReplyOptions): Promise<ReplyTextBlock[]> {
  const kept: ReplyTextBlock[] = [];
  for (const sent of await sendableContent([block], {
    ...options,
    quarantined: (_, reason) => options.quarantined(index, reason),
  })) {
    if (sent.type === 'text') kept.push(sent);
  }
  return kept;
}

/** The block as another model may have it: what its provider added is for the model that wrote it alone. */
function ownOrBare<Block extends ReplyTextBlock | ToolCallBlock>(block: Block, sameModel: boolean): Block {
  if (sameModel || block.providerData === undefined) return block;
  const { providerData: _, ...bare } = block;
  return bare as Block;
}

/** Reasoning and opaque blocks go back as they came, or not at all. */
function sendBlock(
  block: Exclude<ModelBlock, ToolCallBlock | ReplyTextBlock>,
  index: number,
  entry: AssistantEntry,
  options: SendReplyOptions,
): ModelBlock[] {
  const sameModel = entry.model === options.model;
  switch (block.type) {
    case 'reasoning': {
      const signed =
        (block.signature ?? '') !== '' || (block.redacted ?? '') !== '' || block.providerData !== undefined;
      return signed && sameModel && block.text.isWellFormed() ? [block] : [];
    }
    case 'opaque':
      return sameModel || block.provider === options.model.split('/', 1)[0] ? [block] : [];
    case 'image':
    case 'unknown': {
      const reason =
        block.type === 'image' ? 'a reply is sent back without images' : 'this version does not know its kind';
      options.quarantined(index, reason);
      return [placeholder(block, reason)];
    }
  }
}

async function sendCall(
  block: ToolCallBlock,
  index: number,
  calls: SentCall[],
  options: SendReplyOptions,
): Promise<ToolCallBlock> {
  const alias = options.aliases.next(block.toolCallId);
  const name = sendableName(block.name, 'unnamed');
  calls.push({ block: index, toolCallId: block.toolCallId, alias });
  const inline = await inlineBlock(block, options.readBlob, options.limits);
  if ('reason' in inline) options.quarantined(index, `the call's input is left out: ${inline.reason}`);
  const input = wellFormedObject('reason' in inline ? {} : asObject(inline.block.input));
  const unchanged =
    alias === block.toolCallId && name === block.name && input === block.input && block.spilled === undefined;
  if (unchanged) return block;
  const { providerData } = block;
  return { type: 'tool_call', toolCallId: alias, name, input, ...(providerData && { providerData }) };
}

/** Providers take an object as a call's input and nothing else. */
function asObject(value: JsonValue): JsonObject {
  return typeof value === 'object' && value !== null && !isList(value) ? value : {};
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
