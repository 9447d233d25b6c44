import type { JsonObject, SDKUserMessage, TurnInputBlock } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';

/**
 * What a user message says, as a turn takes it.
 * @throws RondoError `input.invalid` naming the block that cannot be sent.
 */
export function readUserMessage(message: SDKUserMessage): TurnInputBlock[] {
  const content: unknown = message.message?.content;
  if (message.type !== 'user' || message.message?.role !== 'user') {
    throw invalid(
      "a prompt's message must be { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null }",
    );
  }
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) throw invalid('message.content must be a text or a list of content blocks');
  return content.map((block: unknown, index) => readBlock(block, `message.content[${index}]`));
}

/**
 * Where a message comes from, as its sender says it; undefined for a person's.
 * @throws RondoError `input.invalid`.
 */
export function readMessageOrigin({ origin }: SDKUserMessage): JsonObject | undefined {
  if (origin === undefined || origin === null) return undefined;
  text(record(origin)['kind'], 'origin.kind');
  // As the log can hold it.
  return JSON.parse(JSON.stringify(origin)) as JsonObject;
}

function readBlock(block: unknown, where: string): TurnInputBlock {
  const fields = record(block);
  switch (fields['type']) {
    case 'text':
      return { type: 'text', text: text(fields['text'], `${where}.text`) };
    case 'image':
      return readImage(record(fields['source']), `${where}.source`);
    case 'document':
      return readDocument(fields, `${where}.source`);
    default:
      throw invalid(
        `${where}: a user message takes text, image and document blocks, not ${JSON.stringify(fields['type'])}`,
      );
  }
}

function readImage(source: Readonly<Record<string, unknown>>, where: string): TurnInputBlock {
  if (source['type'] === 'url') return { type: 'image', uri: text(source['url'], `${where}.url`) };
  if (source['type'] !== 'base64') throw invalid(`${where}.type must be base64 or url`);
  const mediaType = text(source['media_type'], `${where}.media_type`);
  return { type: 'image', uri: `data:${mediaType};base64,${text(source['data'], `${where}.data`)}`, mediaType };
}

function readDocument(fields: Readonly<Record<string, unknown>>, where: string): TurnInputBlock {
  const source = record(fields['source']);
  const name = typeof fields['title'] === 'string' ? fields['title'] : 'document';
  if (source['type'] === 'url') return { type: 'resource_link', uri: text(source['url'], `${where}.url`), name };
  const mediaType = text(source['media_type'], `${where}.media_type`);
  const data = text(source['data'], `${where}.data`);
  const common = { type: 'embedded_resource' as const, uri: `document:${encodeURIComponent(name)}`, mediaType };
  if (source['type'] === 'text') return { ...common, text: data };
  if (source['type'] === 'base64') return { ...common, blob: data };
  throw invalid(`${where}.type must be base64, text or url`);
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function text(value: unknown, where: string): string {
  if (typeof value === 'string') return value;
  throw invalid(`${where} must be a text`);
}

function invalid(message: string): RondoError {
  return new RondoError('input.invalid', message);
}
