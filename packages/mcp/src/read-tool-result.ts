import type { ContentBlock, JsonObject, JsonValue } from '@rondo/protocol';
import { fromMcpContent } from '@rondo/protocol/values';
import type { ToolResult } from '@rondo/runtime';

/**
 * What a server gave for a call, as the engine takes it. Where there is structured content, the model reads that in place of
 * the texts, which say the same; pictures and other blocks stay.
 * @throws TypeError for what is no result, saying what stands where.
 */
export function readToolResult(given: unknown): ToolResult {
  const result = asJson(given);
  const { structuredContent: structured, isError } = result;
  if (structured !== undefined && !isRecord(structured))
    throw new TypeError(`structuredContent is ${kindOf(structured)}, and should be an object`);
  const { content = structured === undefined ? undefined : [] } = result;
  if (!Array.isArray(content)) throw new TypeError(`content is ${kindOf(content)}, and should be a list of blocks`);
  const blocks = content.map(readBlock);
  return {
    content: structured === undefined ? blocks : [textOf(structured), ...blocks.filter(({ type }) => type !== 'text')],
    ...(structured === undefined ? {} : { structured }),
    ...(isError === true ? { isError: true } : {}),
  };
}

function asJson(given: unknown): Readonly<Record<string, JsonValue | undefined>> {
  if (!isRecord(given)) throw new TypeError(`it gave ${kindOf(given)}, and should give an object with content`);
  let text: string;
  try {
    text = JSON.stringify(given);
  } catch (error) {
    throw new TypeError(`it gave what is no JSON: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
  return JSON.parse(text) as JsonObject;
}

function textOf(structured: JsonValue): ContentBlock {
  return { type: 'text', text: JSON.stringify(structured) };
}

function readBlock(block: JsonValue, index: number): ContentBlock {
  const where = `content[${index}]`;
  if (!isBlock(block)) throw new TypeError(`${where} is ${kindOf(block)}, and should be a block with a type`);
  const { type } = block;
  const need = (name: string, holder: unknown = block, path = name): void => {
    const value = isRecord(holder) ? holder[name] : undefined;
    if (typeof value !== 'string')
      throw new TypeError(`${where}, of type ${type}, has ${kindOf(value)} as its ${path}`);
  };
  switch (type) {
    case 'text':
      need('text');
      break;
    case 'image':
    case 'audio':
      need('data');
      need('mimeType');
      break;
    case 'resource_link':
      need('uri');
      break;
    case 'resource': {
      const { resource } = block;
      need('uri', resource, 'resource.uri');
      if (isRecord(resource) && resource['blob'] === undefined) need('text', resource, 'resource.text');
      break;
    }
  }
  return fromMcpContent(block);
}

function isBlock(value: JsonValue): value is JsonObject & { readonly type: string } {
  return isRecord(value) && typeof value['type'] === 'string';
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
