import type { ContentBlock, JsonObject } from '@rondo/protocol';
import { readDataUri } from '@rondo/protocol/values';
import type { ToolResultBlock } from '@rondo/runtime';
import { contentNote } from '../dialect/content-note.ts';

type EmbeddedResource = Extract<ContentBlock, { type: 'embedded_resource' }>;

const imageMediaTypes: readonly (string | undefined)[] = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

/**
 * A content block as the API takes it in a message or in a call's output. What it does not take becomes text that names
 * it, so that the model knows it was there. Undefined for a text without a character.
 */
export function encodeContent(block: ContentBlock): JsonObject | undefined {
  if (block.type === 'image') {
    const { uri } = block;
    const sendable = /^https?:/i.test(uri) || imageMediaTypes.includes(readDataUri(uri)?.mediaType);
    if (sendable) return inputImage(uri);
  }
  if (block.type === 'embedded_resource') {
    const file = encodeEmbedded(block);
    if (file !== undefined) return file;
  }
  return inputText(contentNote(block));
}

/** What a call came to: a text where it is nothing else, and its pictures and files where it has some. */
export function encodeOutput({ content, isError }: ToolResultBlock): string | readonly JsonObject[] {
  // The wire has no mark for a failure, so the words have to tell.
  const head: readonly ContentBlock[] = isError ? [{ type: 'text', text: 'The tool failed:' }] : [];
  const parts = [...head, ...content].map(encodeContent).filter((part) => part !== undefined);
  const texts = parts.flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
  if (texts.length < parts.length) return parts;
  if (isError && texts.length === 1) return 'The tool failed without a message.';
  return texts.length === 0 ? '(no output)' : texts.join('\n');
}

function encodeEmbedded({ uri, mediaType, blob }: EmbeddedResource): JsonObject | undefined {
  if (blob === undefined || mediaType === undefined) return undefined;
  const data = `data:${mediaType};base64,${blob}`;
  if (imageMediaTypes.includes(mediaType)) return inputImage(data);
  if (mediaType !== 'application/pdf') return undefined;
  return { type: 'input_file', filename: fileName(uri), file_data: data };
}

function inputText(text: string): JsonObject | undefined {
  return text === '' ? undefined : { type: 'input_text', text };
}

function inputImage(url: string): JsonObject {
  return { type: 'input_image', image_url: url, detail: 'auto' };
}

/** The API takes no file without a name. */
function fileName(uri: string): string {
  const path = uri.split(/[?#]/, 1)[0] ?? '';
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  return /\.pdf$/i.test(name) ? name : 'document.pdf';
}
