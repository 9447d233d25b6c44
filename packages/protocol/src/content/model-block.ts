import { z } from 'zod';
import { JsonObject, JsonValue } from '../json/json-value.ts';
import { openObject } from '../json/open-object.ts';
import { openUnion } from '../json/open-union.ts';
import { BlobReference } from './blob-reference.ts';
import { TextContentBlock, ImageContentBlock, UnknownContentBlock } from './content-block.ts';

/**
 * What a provider adds to a block and wants to have back with it: a signature of its own kind, the IDs of its items,
 * citations. It goes back to the model that wrote the block byte for byte, or not at all; another model never sees it.
 */
const providerData = JsonObject.optional();

/** Text of a reply. */
export const ReplyTextBlock = TextContentBlock.extend({ providerData });
export type ReplyTextBlock = z.infer<typeof ReplyTextBlock>;

/**
 * The model's reasoning. `signature`, `redacted` and `providerData` are the provider's own and go back to the same model
 * byte for byte, or not at all. Reasoning that has none of them is never sent back.
 */
export const ReasoningBlock = openObject({
  type: z.literal('reasoning'),
  text: z.string(),
  signature: z.string().optional(),
  /** Reasoning that the provider sent encrypted; `text` is then empty. */
  redacted: z.string().optional(),
  providerData,
});
export type ReasoningBlock = z.infer<typeof ReasoningBlock>;

/** A call as the model wrote it. What really ran, after hooks and answers, is in `tool.decided`. */
export const ToolCallBlock = openObject({
  type: z.literal('tool_call'),
  /** The provider's ID, unique within its message only. */
  toolCallId: z.string(),
  name: z.string(),
  input: JsonValue,
  /** Set when the input was not JSON: what came, and where it broke. `input` is then `{}`. */
  malformed: openObject({ text: z.string(), error: z.string() }).optional(),
  /** Set when the input was not JSON but could mean one thing only: what came, and what was mended in it. */
  repaired: openObject({ text: z.string(), mended: z.string() }).optional(),
  providerData,
  spilled: BlobReference.optional(),
});
export type ToolCallBlock = z.infer<typeof ToolCallBlock>;

/** A block that only its provider understands, kept whole and given back to that provider. */
export const OpaqueBlock = openObject({
  type: z.literal('opaque'),
  provider: z.string(),
  raw: JsonValue,
  /** Set when something in it was redacted. It is then no longer what its provider made, and is never given back. */
  altered: z.literal(true).optional(),
});
export type OpaqueBlock = z.infer<typeof OpaqueBlock>;

/** What an assistant message is made of, in the model's order. */
export const ModelBlock = openUnion(
  {
    text: ReplyTextBlock,
    image: ImageContentBlock,
    reasoning: ReasoningBlock,
    tool_call: ToolCallBlock,
    opaque: OpaqueBlock,
  },
  UnknownContentBlock,
);
export type ModelBlock = z.infer<typeof ModelBlock>;
