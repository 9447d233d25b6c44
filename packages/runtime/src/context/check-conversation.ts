import type { ContentBlock, ModelBlock, ToolCallBlock } from '@rondo/protocol';
import type { ModelMessage, ToolResultBlock } from '../model/model.ts';
import { defaultRequestLimits, imageMediaTypes, type RequestLimits, wireNamePattern } from './request-limits.ts';

/** A broken invariant: what is wrong, and the message and block it is wrong at. */
export interface ConversationProblem {
  readonly message: number;
  readonly block?: number;
  readonly problem: string;
}

export interface CheckConversationOptions {
  /** Resolved name of the model that is asked; reasoning of another is a problem. Absent: not checked. */
  readonly model?: string;
  readonly limits?: Partial<RequestLimits>;
}

/**
 * Everything that would make a provider refuse a conversation, or misread it. Empty for what the context builder
 * makes, whatever it was made from.
 */
export function checkConversation(
  messages: readonly ModelMessage[],
  options: CheckConversationOptions = {},
): ConversationProblem[] {
  const problems: ConversationProblem[] = [];
  const limits = { ...defaultRequestLimits, ...options.limits };
  const seenCalls = new Set<string>();
  let open: readonly ToolCallBlock[] = [];

  if (messages.length === 0) problems.push({ message: 0, problem: 'the conversation is empty' });
  for (const [index, message] of messages.entries()) {
    const report = (problem: string, block?: number) =>
      problems.push({ message: index, ...(block === undefined ? {} : { block }), problem });
    const expectedRole = index % 2 === 0 ? 'user' : 'assistant';
    if (message.role !== expectedRole) report(`role is ${message.role}, expected ${expectedRole}`);
    if (message.content.length === 0) report('has no content');
    if (message.role === 'assistant') {
      if (open.length > 0) report(`comes before the results of ${listIds(open)}`);
      open = checkAssistant(message, options.model, seenCalls, report);
    } else {
      checkUser(message.content, open, limits, report);
      open = [];
    }
  }
  if (messages.length > 0 && messages.at(-1)?.role !== 'user') {
    problems.push({ message: messages.length - 1, problem: 'the last message is not from the user' });
  }
  checkTotals(messages, limits, problems);
  return problems;
}

/** One line a problem, for assertion messages. */
export function describeProblems(problems: readonly ConversationProblem[]): string {
  return problems
    .map(
      ({ message, block, problem }) => `message ${message}${block === undefined ? '' : `, block ${block}`}: ${problem}`,
    )
    .join('\n');
}

type Report = (problem: string, block?: number) => void;

function checkAssistant(
  message: ModelMessage & { role: 'assistant' },
  model: string | undefined,
  seen: Set<string>,
  report: Report,
): readonly ToolCallBlock[] {
  const calls: ToolCallBlock[] = [];
  for (const [index, block] of message.content.entries()) {
    switch (block.type) {
      case 'text':
        if (block.text.trim() === '') report('text is empty', index);
        break;
      case 'reasoning':
        if (block.signature === undefined && block.redacted === undefined && block.providerData === undefined)
          report('reasoning is not signed', index);
        if (model !== undefined && message.model !== model)
          report(`reasoning of ${message.model} goes to ${model}`, index);
        break;
      case 'tool_call':
        checkCall(block, index, seen, report);
        calls.push(block);
        break;
      case 'image':
        report('image in a reply', index);
        break;
      case 'opaque':
        break;
      case 'unknown':
        report(`unknown block ${block.originalType}`, index);
        break;
    }
    if (isSpilled(block)) report('content is not inline', index);
  }
  if (message.content.at(-1)?.type === 'reasoning') report('ends with reasoning', message.content.length - 1);
  return calls;
}

function checkCall(call: ToolCallBlock, index: number, seen: Set<string>, report: Report): void {
  if (!wireNamePattern.test(call.name)) report(`tool name ${JSON.stringify(call.name)} is not sendable`, index);
  if (!wireNamePattern.test(call.toolCallId))
    report(`call ID ${JSON.stringify(call.toolCallId)} is not sendable`, index);
  if (seen.has(call.toolCallId)) report(`call ID ${call.toolCallId} was used before`, index);
  seen.add(call.toolCallId);
  if (typeof call.input !== 'object' || call.input === null || Array.isArray(call.input))
    report('call input is no object', index);
}

function checkUser(
  content: readonly (ContentBlock | ToolResultBlock)[],
  open: readonly ToolCallBlock[],
  limits: RequestLimits,
  report: Report,
): void {
  const results: string[] = [];
  let resultsOver = false;
  for (const [index, block] of content.entries()) {
    if (block.type !== 'tool_result') {
      resultsOver = true;
      checkContent(block, index, limits, report);
      continue;
    }
    if (resultsOver) report(`result of ${block.toolCallId} comes after other content`, index);
    if (block.content.length === 0) report(`result of ${block.toolCallId} is empty`, index);
    for (const part of block.content) checkContent(part, index, limits, report);
    results.push(block.toolCallId);
  }
  const expected = open.map((call) => call.toolCallId);
  if (expected.join('\n') !== results.join('\n')) {
    report(`expected the results of [${expected.join(', ')}] in this order, found [${results.join(', ')}]`);
  }
}

function checkContent(block: ContentBlock, index: number, limits: RequestLimits, report: Report): void {
  if (isSpilled(block)) report('content is not inline', index);
  switch (block.type) {
    case 'text':
      if (block.text.trim() === '') report('text is empty', index);
      return;
    case 'image': {
      const data = /^data:([a-z/+.-]+);base64,([A-Za-z0-9+/]+={0,2})$/.exec(block.uri);
      if (data === null) report('image is not inline base64 data', index);
      else if (!imageMediaTypes.includes(data[1] ?? '')) report(`image type ${data[1]} is not sendable`, index);
      else if ((data[2]?.length ?? 0) > limits.maxImageCharacters) report('image is too large', index);
      return;
    }
    case 'audio':
    case 'resource_link':
    case 'embedded_resource':
      return;
    case 'unknown':
      report(`unknown block ${block.originalType}`, index);
  }
}

function checkTotals(messages: readonly ModelMessage[], limits: RequestLimits, problems: ConversationProblem[]): void {
  let images = 0;
  let imageCharacters = 0;
  for (const message of messages) {
    for (const block of message.content) {
      for (const part of block.type === 'tool_result' ? block.content : [block]) {
        if (part.type !== 'image') continue;
        images += 1;
        imageCharacters += part.uri.length;
      }
    }
  }
  const message = Math.max(messages.length - 1, 0);
  if (images > limits.maxImages)
    problems.push({ message, problem: `${images} images, the limit is ${limits.maxImages}` });
  if (imageCharacters > limits.maxRequestCharacters) {
    problems.push({
      message,
      problem: `${imageCharacters} characters of images, the limit is ${limits.maxRequestCharacters}`,
    });
  }
}

function isSpilled(block: ContentBlock | ModelBlock): boolean {
  return 'spilled' in block && block.spilled !== undefined;
}

function listIds(calls: readonly ToolCallBlock[]): string {
  return calls.map((call) => call.toolCallId).join(', ');
}
