import { z } from 'zod';
import { JsonObject, JsonValue } from '../json/json-value.ts';
import { openObject } from '../json/open-object.ts';
import { openUnion } from '../json/open-union.ts';
import { Usage } from './usage.ts';

/** Content in the shape of the Anthropic Messages API, which the second seed's messages carry. */
const text = openObject({ type: z.literal('text'), text: z.string() });

export const ImageSource = z.discriminatedUnion('type', [
  openObject({ type: z.literal('base64'), media_type: z.string(), data: z.string() }),
  openObject({ type: z.literal('url'), url: z.string() }),
]);
export type ImageSource = z.infer<typeof ImageSource>;

const image = openObject({ type: z.literal('image'), source: ImageSource });

const document = openObject({
  type: z.literal('document'),
  source: z.discriminatedUnion('type', [
    openObject({ type: z.literal('base64'), media_type: z.string(), data: z.string() }),
    openObject({ type: z.literal('text'), media_type: z.string(), data: z.string() }),
    openObject({ type: z.literal('url'), url: z.string() }),
  ]),
  title: z.string().nullable().optional(),
});

const UnknownBlock = z.object({ type: z.literal('unknown'), originalType: z.string(), raw: JsonValue });

/** What a user message or a tool result is made of. */
export const UserContentBlock = openUnion({ text, image, document }, UnknownBlock);
export type UserContentBlock = z.infer<typeof text> | z.infer<typeof image> | z.infer<typeof document>;

export const ToolResultParam = openObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  content: z.union([z.string(), z.array(UserContentBlock)]),
  /** Absent when the call succeeded. */
  is_error: z.boolean().optional(),
});
export type ToolResultParam = Omit<z.infer<typeof ToolResultParam>, 'content'> & {
  content: string | UserContentBlock[];
};

/** A message to the model: `MessageParam` of the second seed. */
export const MessageParam = openObject({
  role: z.enum(['user', 'assistant']),
  content: z.union([
    z.string(),
    z.array(openUnion({ text, image, document, tool_result: ToolResultParam }, UnknownBlock)),
  ]),
});
export interface MessageParam {
  role: 'user' | 'assistant';
  content: string | (UserContentBlock | ToolResultParam)[];
}

const thinking = openObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() });
const redactedThinking = openObject({ type: z.literal('redacted_thinking'), data: z.string() });
const toolUse = openObject({ type: z.literal('tool_use'), id: z.string(), name: z.string(), input: JsonObject });

/** Text of a reply, with the places it was taken from where the model cites them. */
const replyText = text.extend({ citations: z.array(JsonObject).nullable().optional() });

/** A block of a reply. A line carries exactly one. */
export const BetaContentBlock = openUnion(
  { text: replyText, thinking, redacted_thinking: redactedThinking, tool_use: toolUse },
  UnknownBlock,
);
export type BetaContentBlock =
  | z.infer<typeof replyText>
  | z.infer<typeof thinking>
  | z.infer<typeof redactedThinking>
  | z.infer<typeof toolUse>;

/** A reply of the model, or one block of it: `BetaMessage` of the second seed. */
export const BetaMessage = openObject({
  id: z.string(),
  type: z.literal('message'),
  role: z.literal('assistant'),
  model: z.string(),
  content: z.array(BetaContentBlock),
  stop_reason: z.string().nullable(),
  stop_sequence: z.string().nullable(),
  usage: Usage,
});
export type BetaMessage = Omit<z.infer<typeof BetaMessage>, 'content'> & { content: BetaContentBlock[] };

const index = { index: z.number().int().nonnegative() };
const deltas = z.discriminatedUnion('type', [
  openObject({ type: z.literal('text_delta'), text: z.string() }),
  openObject({ type: z.literal('thinking_delta'), thinking: z.string() }),
  openObject({ type: z.literal('signature_delta'), signature: z.string() }),
  openObject({ type: z.literal('input_json_delta'), partial_json: z.string() }),
  openObject({ type: z.literal('citations_delta'), citation: JsonObject }),
]);

/** A piece of a reply as it comes: `BetaRawMessageStreamEvent` of the second seed. */
export const BetaRawMessageStreamEvent = z.discriminatedUnion('type', [
  openObject({ type: z.literal('message_start'), message: BetaMessage }),
  openObject({ type: z.literal('content_block_start'), ...index, content_block: BetaContentBlock }),
  openObject({ type: z.literal('content_block_delta'), ...index, delta: deltas }),
  openObject({ type: z.literal('content_block_stop'), ...index }),
  openObject({
    type: z.literal('message_delta'),
    delta: openObject({ stop_reason: z.string().nullable(), stop_sequence: z.string().nullable() }),
    usage: Usage,
  }),
  openObject({ type: z.literal('message_stop') }),
]);
export type BetaRawMessageStreamEvent =
  | { type: 'message_start'; message: BetaMessage }
  | { type: 'content_block_start'; index: number; content_block: BetaContentBlock }
  | { type: 'content_block_delta'; index: number; delta: z.infer<typeof deltas> }
  | { type: 'content_block_stop'; index: number }
  | { type: 'message_delta'; delta: { stop_reason: string | null; stop_sequence: string | null }; usage: Usage }
  | { type: 'message_stop' };
