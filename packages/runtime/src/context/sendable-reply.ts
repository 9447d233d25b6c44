import type {
  AssistantEntry,
  ContentBlock,
  JsonObject,
  JsonValue,
  ModelBlock,
  OpaqueBlock,
  ReasoningBlock,
  ReplyTextBlock,
  ToolCallBlock,
} from '@rondo/protocol';
import { isObject } from '../tool/json-shape.ts';
import type { CallAliases } from './call-alias.ts';
import { inlineBlock, isInline } from './inline-block.ts';
import { opaqueText } from './opaque-text.ts';
import { describeBlock, placeholder } from './placeholder.ts';
import { sendableContent, type SendContentOptions } from './sendable-content.ts';
import { toolAlias } from './tool-alias.ts';
import { wellFormedObject } from './well-formed.ts';

/** A call of a reply: as its entry has it, and as it is sent. */
export interface SentCall {
  readonly block: number;
  readonly toolCallId: string;
  readonly alias: string;
  /** The tool's own name. */
  readonly name: string;
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
  /** The model did not take back what it had sealed in this reply. */
  readonly rejected: boolean;
}

/** What of a reply may go back as its provider made it. */
interface Kept {
  /** Reasoning, and what the provider added to a block: to the model that wrote them alone. */
  readonly own: boolean;
  /** Blocks that only their provider understands. */
  readonly opaque: (block: OpaqueBlock) => boolean;
}

/** A reply as it may be sent back. The entry's own list when nothing had to change. */
export async function sendableReply(entry: AssistantEntry, options: SendReplyOptions): Promise<SendableReply> {
  const content: ModelBlock[] = [];
  const calls: SentCall[] = [];
  const kept = keptOf(entry, options);
  for (const [index, block] of entry.content.entries()) {
    switch (block.type) {
      case 'tool_call':
        content.push(await sendCall(ownOrBare(block, kept), index, calls, options));
        break;
      case 'text':
        content.push(...(await sendText(ownOrBare(block, kept), index, options)));
        break;
      case 'reasoning':
        if (kept.own && isSealed(block)) content.push(block);
        break;
      case 'opaque': {
        const sent = kept.opaque(block) ? block : opaqueText(block);
        if (sent !== undefined) content.push(sent);
        break;
      }
      default:
        content.push(leaveOut(block, index, options));
    }
  }
  // Providers refuse a reply that ends in reasoning, and one that is nothing else says nothing.
  while (content.at(-1)?.type === 'reasoning') content.pop();
  const same =
    content.length === entry.content.length && content.every((block, index) => block === entry.content[index]);
  return { content: same ? entry.content : content, calls };
}

/**
 * Opaque blocks belong together, a search and what it found, and to the reasoning that led to them: when some of it
 * cannot go back, none of it does.
 */
function keptOf(entry: AssistantEntry, { model, rejected }: SendReplyOptions): Kept {
  const sameModel = entry.model === model && !rejected;
  const provider = model.split('/', 1)[0];
  const altered = entry.content.some((block) => block.type === 'opaque' && block.altered === true);
  const reasoned = entry.content.some((block) => block.type === 'reasoning');
  return {
    own: sameModel && !altered,
    opaque: (block) => !altered && (sameModel || (block.provider === provider && !reasoned)),
  };
}

/** Only what its provider can recognise as its own, to the byte, may go back. */
function isSealed({ text, signature = '', redacted = '', providerData }: ReasoningBlock): boolean {
  return (signature !== '' || redacted !== '' || providerData !== undefined) && text.isWellFormed();
}

async function sendText(block: ReplyTextBlock, index: number, options: SendReplyOptions): Promise<ReplyTextBlock[]> {
  const kept: ReplyTextBlock[] = [];
  for (const { block: sent } of await sendableContent([block], {
    ...options,
    quarantined: (_, what, reason) => options.quarantined(index, what, reason),
  })) {
    if (sent.type === 'text') kept.push(sent);
  }
  return kept;
}

/** The block as another model may have it: what its provider added is for the model that wrote it alone. */
function ownOrBare<Block extends ReplyTextBlock | ToolCallBlock>(block: Block, { own }: Kept): Block {
  if (own || block.providerData === undefined) return block;
  const { providerData: _, ...bare } = block;
  return bare as Block;
}

function leaveOut(
  block: Extract<ContentBlock, { type: 'image' | 'unknown' }>,
  index: number,
  options: SendReplyOptions,
): ModelBlock {
  const reason = block.type === 'image' ? 'a reply is sent back without images' : 'this version does not know its kind';
  options.quarantined(index, describeBlock(block), reason);
  return placeholder(block, reason);
}

async function sendCall(
  block: ToolCallBlock,
  index: number,
  calls: SentCall[],
  options: SendReplyOptions,
): Promise<ToolCallBlock> {
  const alias = options.aliases.next(block.toolCallId);
  const name = toolAlias(block.name);
  calls.push({ block: index, toolCallId: block.toolCallId, alias, name: block.name });
  const inline = isInline(block) ? { block } : await inlineBlock(block, options.readBlob);
  if ('reason' in inline) options.quarantined(index, `the input of a call of ${block.name}`, inline.reason);
  const input = wellFormedObject('reason' in inline ? {} : asObject(inline.block.input));
  const unchanged =
    alias === block.toolCallId && name === block.name && input === block.input && block.spilled === undefined;
  if (unchanged) return block;
  const { providerData } = block;
  return { type: 'tool_call', toolCallId: alias, name, input, ...(providerData && { providerData }) };
}

/** Providers take an object as a call's input and nothing else. */
function asObject(value: JsonValue): JsonObject {
  return isObject(value) ? value : {};
}
