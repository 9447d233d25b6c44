import type { LanguageModelV4Message } from '@ai-sdk/provider';
import type { ContentBlock } from '@rondo/protocol';
import { readDataUri } from '@rondo/protocol/values';
import type { ModelMessage, ToolResultBlock } from '@rondo/runtime';
import { contentNote } from '../dialect/content-note.ts';
import type { PromptStyle } from './prompt-style.ts';

type UserPart = Extract<LanguageModelV4Message, { role: 'user' }>['content'][number];
type FilePart = Extract<UserPart, { type: 'file' }>;
type ResultPart = Extract<
  Extract<LanguageModelV4Message, { role: 'tool' }>['content'][number],
  { type: 'tool-result' }
>;

interface EncodedResult {
  readonly part: ResultPart;
  /** What has to go in the user's next message. */
  readonly after: readonly UserPart[];
}

/** Results first, in a message of their own, then what the user says. */
export function encodeUser(
  message: Extract<ModelMessage, { role: 'user' }>,
  before: ModelMessage | undefined,
  style: PromptStyle,
): readonly LanguageModelV4Message[] {
  const names = callNames(before);
  const results = message.content
    .filter((block) => block.type === 'tool_result')
    .map((block) => encodeResult(block, names.get(block.toolCallId) ?? 'tool', style));
  const words = [
    ...results.flatMap(({ after }) => after),
    ...message.content.flatMap((block) => (block.type === 'tool_result' ? [] : encodeContent(block, style))),
  ];
  const { afterResults } = style;
  // The turn must not vanish: a request that ends with the assistant's own words means something else.
  if (results.length === 0 && words.length === 0) return [{ role: 'user', content: [text('(no content)')] }];
  return [
    ...(results.length > 0 ? [{ role: 'tool' as const, content: results.map(({ part }) => part) }] : []),
    ...(results.length > 0 && words.length > 0 && afterResults !== undefined
      ? [{ role: 'assistant' as const, content: [text(afterResults)] }]
      : []),
    ...(words.length > 0 ? [{ role: 'user' as const, content: words }] : []),
  ];
}

function callNames(message: ModelMessage | undefined): ReadonlyMap<string, string> {
  const blocks = message?.role === 'assistant' ? message.content : [];
  return new Map(blocks.flatMap((block) => (block.type === 'tool_call' ? [[block.toolCallId, block.name]] : [])));
}

function encodeContent(block: ContentBlock, { takes }: PromptStyle): readonly UserPart[] {
  const file = fileOf(block);
  if (file !== undefined && takes(file.mediaType)) return [file];
  const note = contentNote(block);
  return /\S/.test(note) ? [text(note)] : [];
}

function encodeResult(block: ToolResultBlock, toolName: string, style: PromptStyle): EncodedResult {
  const { toolCallId, isError } = block;
  const call = { type: 'tool-result' as const, toolCallId: style.callId?.(toolCallId) ?? toolCallId, toolName };
  const parts = block.content.flatMap((content) => encodeContent(content, style));
  const files = parts.filter((part) => part.type === 'file');
  const texts = parts.filter((part) => part.type === 'text').map((part) => part.text);
  if (files.length > 0 && style.resultFiles === 'inline' && !isError) {
    return { part: { ...call, output: { type: 'content', value: parts } }, after: [] };
  }
  const said = [...texts, ...files.map(({ mediaType }) => `[a file of the type ${mediaType}: see the next message]`)];
  const silence = isError ? 'The tool failed without a message.' : '(no output)';
  const value = said.length === 0 ? silence : said.join('\n');
  const after = files.length === 0 ? [] : [text(`What ${toolName} returned:`), ...files];
  return { part: { ...call, output: { type: isError ? 'error-text' : 'text', value } }, after };
}

/** The bytes that a block holds itself. */
function fileOf(block: ContentBlock): FilePart | undefined {
  if (block.type === 'image' || block.type === 'audio') {
    const inline = readDataUri(block.uri);
    const mediaType = inline?.mediaType ?? block.mediaType;
    return inline === undefined || mediaType === undefined ? undefined : file(mediaType, inline.base64);
  }
  if (block.type !== 'embedded_resource' || block.blob === undefined || block.mediaType === undefined) return undefined;
  return { ...file(block.mediaType, block.blob), filename: fileName(block.uri) };
}

function file(mediaType: string, base64: string): FilePart {
  return { type: 'file', mediaType, data: { type: 'data', data: base64 } };
}

function fileName(uri: string): string {
  return uri.split(/[/\\]/).at(-1) || 'file';
}

function text(content: string): { readonly type: 'text'; readonly text: string } {
  return { type: 'text', text: content };
}
