import { hash } from 'node:crypto';
import type { ContentBlock, JsonObject, JsonValue, ModelBlock } from '@rondo/protocol';
import type { ModelMessage, ModelRequest, ToolResultBlock } from '@rondo/runtime';

/** A text, or something else that a message holds. */
export type SaidItem = string | JsonObject;

/** What a user message says: one text, or a list. */
export type Said = string | readonly SaidItem[];

/**
 * A user message as a script writes it. Calls have no IDs there: results stand in the order of their calls, and no two
 * runs have the same IDs. Images and the like are told by their kind and hash.
 */
export function saidByUser(request: Pick<ModelRequest, 'messages'>, index: number): Said {
  const message = request.messages[index];
  if (message?.role !== 'user') return '';
  const names = callNames(request.messages[index - 1]);
  const items = message.content.map(
    (block): SaidItem => (block.type === 'tool_result' ? saidResult(block, names) : saidBlock(block)),
  );
  const [only] = items;
  return items.length === 1 && typeof only === 'string' ? only : items;
}

/** The conversation, from a message on, as a script writes it. Reasoning is left out: it came from the script itself. */
export function saidMessages(request: Pick<ModelRequest, 'messages'>, from = 0): JsonObject[] {
  return request.messages
    .slice(from)
    .map((message, index) =>
      message.role === 'user'
        ? { user: saidByUser(request, from + index) }
        : { assistant: message.content.flatMap(saidReplyBlock) },
    );
}

/** The tools as the model sees them. */
export function saidTools({ tools }: Pick<ModelRequest, 'tools'>): JsonObject[] {
  return tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
}

/** How the model is to answer; empty where nothing is said about it. */
export function saidSettings({ maxOutputTokens, thinking, effort, temperature, output }: ModelRequest): JsonObject {
  return {
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(thinking !== undefined && { thinking: { ...thinking } }),
    ...(effort !== undefined && { effort }),
    ...(temperature !== undefined && { temperature }),
    ...(output !== undefined && { output: output.schema }),
  };
}

/** Only what a person or a program said, without results of calls. */
export function withoutResults(said: Said): Said {
  if (typeof said === 'string') return said;
  const kept = said.filter((item) => typeof item === 'string' || item['result'] === undefined);
  const [only] = kept;
  return kept.length === 1 && typeof only === 'string' ? only : kept;
}

/** What a person said in a first message: its surroundings come before it, and differ from place to place. */
export function lastText(said: unknown): unknown {
  return Array.isArray(said) ? said.findLast((item) => typeof item === 'string') : said;
}

/** How many answers of the model the conversation holds. */
export function countReplies({ messages }: Pick<ModelRequest, 'messages'>): number {
  return messages.reduce((count, { role }) => (role === 'assistant' ? count + 1 : count), 0);
}

function callNames(message: ModelMessage | undefined): ReadonlyMap<string, string> {
  const calls = message?.role === 'assistant' ? message.content : [];
  return new Map(calls.flatMap((block) => (block.type === 'tool_call' ? [[block.toolCallId, block.name]] : [])));
}

function saidResult({ toolCallId, content, isError }: ToolResultBlock, names: ReadonlyMap<string, string>): JsonObject {
  const items = content.map(saidBlock);
  const [only] = items;
  return {
    result: names.get(toolCallId) ?? 'unknown',
    ...(isError && { error: true }),
    ...(items.length === 1 && typeof only === 'string' ? { text: only } : { content: items }),
  };
}

function saidBlock(block: ContentBlock): SaidItem {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return { [block.type]: block.mediaType ?? 'unknown', sha256: shortHash(block.uri) };
    case 'resource_link':
      return { link: block.uri };
    case 'embedded_resource':
      return {
        resource: block.uri,
        ...(block.text === undefined ? { sha256: shortHash(block.blob ?? '') } : { text: block.text }),
      };
    case 'unknown':
      return { unknown: block.originalType };
  }
}

function saidReplyBlock(block: ModelBlock): SaidItem[] {
  if (block.type === 'text') return [block.text];
  if (block.type === 'tool_call') return [{ call: block.name, input: block.input satisfies JsonValue }];
  return [];
}

function shortHash(text: string): string {
  return hash('sha256', text).slice(0, 16);
}
