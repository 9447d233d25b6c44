import { z } from 'zod';
import { JsonObject, JsonValue } from '../json/json-value.ts';
import { openObject } from '../json/open-object.ts';
import { openUnion } from '../json/open-union.ts';
import { BlobReference } from './blob-reference.ts';
import { MAX_IMAGE_BASE64_CHARACTERS } from './image-limit.ts';

/** Who a block is for and how much it matters. No audience means everyone. */
export const ContentAnnotations = openObject({
  audience: z.array(z.string()).optional(),
  priority: z.number().min(0).max(1).optional(),
  /** ISO 8601. */
  lastModified: z.string().optional(),
});
export type ContentAnnotations = z.infer<typeof ContentAnnotations>;

const common = {
  annotations: ContentAnnotations.optional(),
  /** For the client alone, never shown to the model. */
  meta: JsonObject.optional(),
  /** Set when the whole is kept beside the log; what the block holds is then a preview. */
  spilled: BlobReference.optional(),
};

export const TextContentBlock = openObject({ type: z.literal('text'), text: z.string().default(''), ...common });
export type TextContentBlock = z.infer<typeof TextContentBlock>;

export const ImageContentBlock = openObject({
  type: z.literal('image'),
  /** Often a `data:` URI; `blob:` and the hash when the bytes were spilled. */
  uri: z
    .string()
    .refine(isWithinImageLimit, { error: `image data is over ${MAX_IMAGE_BASE64_CHARACTERS} base64 characters` }),
  mediaType: z.string().optional(),
  altText: z.string().optional(),
  ...common,
});
export type ImageContentBlock = z.infer<typeof ImageContentBlock>;

export const AudioContentBlock = openObject({
  type: z.literal('audio'),
  uri: z.string(),
  mediaType: z.string().optional(),
  ...common,
});
export type AudioContentBlock = z.infer<typeof AudioContentBlock>;

export const ResourceLinkContentBlock = openObject({
  type: z.literal('resource_link'),
  uri: z.string(),
  name: z.string().optional(),
  title: z.string().optional(),
  description: z.string().optional(),
  mediaType: z.string().optional(),
  /** Bytes. */
  size: z.number().int().nonnegative().optional(),
  ...common,
});
export type ResourceLinkContentBlock = z.infer<typeof ResourceLinkContentBlock>;

export const EmbeddedResourceContentBlock = openObject({
  type: z.literal('embedded_resource'),
  uri: z.string(),
  mediaType: z.string().optional(),
  text: z.string().optional(),
  /** Base64. */
  blob: z.string().optional(),
  ...common,
}).refine((block) => (block.text === undefined) !== (block.blob === undefined) || block.spilled !== undefined, {
  error: 'an embedded resource has exactly one of text and blob',
});
export type EmbeddedResourceContentBlock = z.infer<typeof EmbeddedResourceContentBlock>;

/** A block of a kind this version does not know, with everything it came with. Never part of a turn's input. */
export const UnknownContentBlock = z.object({ type: z.literal('unknown'), originalType: z.string(), raw: JsonValue });
export type UnknownContentBlock = z.infer<typeof UnknownContentBlock>;

const knownBlocks = {
  text: TextContentBlock,
  image: ImageContentBlock,
  audio: AudioContentBlock,
  resource_link: ResourceLinkContentBlock,
  embedded_resource: EmbeddedResourceContentBlock,
};

/** What a message or a tool result is made of. Reading keeps a kind it does not know as `unknown`. */
export const ContentBlock = openUnion(knownBlocks, UnknownContentBlock);
export type ContentBlock = z.infer<typeof ContentBlock>;

/** What a caller may put into a turn: every known block, no unknown one. */
export const TurnInputBlock = z.discriminatedUnion('type', [
  TextContentBlock,
  ImageContentBlock,
  AudioContentBlock,
  ResourceLinkContentBlock,
  EmbeddedResourceContentBlock,
]);
export type TurnInputBlock = z.infer<typeof TurnInputBlock>;

function isWithinImageLimit(uri: string): boolean {
  if (!uri.startsWith('data:')) return true;
  return uri.length - uri.indexOf(',') - 1 <= MAX_IMAGE_BASE64_CHARACTERS;
}
