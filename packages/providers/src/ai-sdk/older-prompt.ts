import type {
  LanguageModelV2Prompt,
  LanguageModelV2ToolResultPart,
  LanguageModelV3Prompt,
  LanguageModelV3ToolResultPart,
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultPart,
  SharedV4FileData,
} from '@ai-sdk/provider';

type V3Message = LanguageModelV3Prompt[number];
type V2Message = LanguageModelV2Prompt[number];
type V4Part = Exclude<LanguageModelV4Message['content'], string>[number];
type V3Part = Exclude<V3Message['content'], string>[number];
type V2Part = Exclude<V2Message['content'], string>[number];

/** The prompt as the contract of AI SDK 6 has it: files without their tag, results with a kind for every medium. */
export function promptV3(prompt: LanguageModelV4Prompt): LanguageModelV3Prompt {
  return prompt.map((message) => withParts<V3Message>(message, partV3));
}

/** The prompt as the contract of AI SDK 5 has it. */
export function promptV2(prompt: LanguageModelV4Prompt): LanguageModelV2Prompt {
  return prompt.map((message) => withParts<V2Message>(message, partV2));
}

/** Parts keep their role: each of them is mapped to its like, or left out where the older contract has none. */
function withParts<Message extends V2Message | V3Message>(
  message: LanguageModelV4Message,
  map: (part: V4Part) => V2Part | V3Part | undefined,
): Message {
  if (message.role === 'system') return message as Message;
  const parts = (message.content as readonly V4Part[]).map(map).filter((part) => part !== undefined);
  return { ...message, content: parts } as Message;
}

function partV3(part: V4Part): V3Part | undefined {
  switch (part.type) {
    case 'file':
      return olderFile(part);
    case 'tool-result':
      return { ...part, output: outputV3(part.output) };
    case 'custom':
    case 'reasoning-file':
      return undefined;
    default:
      return part;
  }
}

/** The types differ in whether provider options may hold undefined, which JSON never does. */
function partV2(part: V4Part): V2Part | undefined {
  if (part.type === 'tool-approval-response') return undefined;
  if (part.type === 'tool-result') return { ...part, output: outputV2(part.output) } as V2Part;
  return partV3(part) as V2Part | undefined;
}

function olderFile({ data, ...part }: LanguageModelV4FilePart) {
  return { ...part, data: olderData(data) };
}

function olderData(data: SharedV4FileData): Uint8Array | string | URL {
  switch (data.type) {
    case 'data':
      return data.data;
    case 'url':
      return data.url;
    case 'text':
      return new TextEncoder().encode(data.text);
    case 'reference':
      return JSON.stringify(data.reference);
  }
}

type Output = LanguageModelV4ToolResultPart['output'];
type ResultFile = Extract<Extract<Output, { type: 'content' }>['value'][number], { type: 'file' }>;

function outputV3(output: Output): LanguageModelV3ToolResultPart['output'] {
  if (output.type !== 'content') return output;
  return {
    type: 'content',
    value: output.value.map((item) => {
      if (item.type !== 'file') return item;
      const { data, mediaType } = base64Of(item);
      return { type: mediaType.startsWith('image/') ? 'image-data' : 'file-data', data, mediaType };
    }),
  };
}

function outputV2(output: Output): LanguageModelV2ToolResultPart['output'] {
  if (output.type === 'execution-denied') return { type: 'error-text', value: output.reason ?? '' };
  if (output.type !== 'content') return output;
  const value: Extract<LanguageModelV2ToolResultPart['output'], { type: 'content' }>['value'] = [];
  for (const item of output.value) {
    if (item.type === 'text') value.push({ type: 'text', text: item.text });
    if (item.type === 'file') value.push({ type: 'media', ...base64Of(item) });
  }
  return { type: 'content', value };
}

/** Results that we make hold base64 alone. */
function base64Of({ data, mediaType }: ResultFile): { readonly data: string; readonly mediaType: string } {
  const held = data.type === 'data' ? data.data : '';
  return { data: typeof held === 'string' ? held : Buffer.from(held).toString('base64'), mediaType };
}
