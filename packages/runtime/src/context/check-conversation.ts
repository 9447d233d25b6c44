import type { ContentBlock, ImageContentBlock, ModelBlock, ToolCallBlock } from '@rondo/protocol';
import { readDataUri, readImageHeader, sniffImageMediaType } from '@rondo/protocol/values';
import type { ModelInput, ModelMessage, ToolResultBlock } from '../model/model.ts';
import { firstBytes } from './base64.ts';
import { type RequestLimits, requestLimits, toolNamePattern, wireIdPattern } from './request-limits.ts';

/** A broken invariant: what is wrong, and the message and block it is wrong at. */
export interface ConversationProblem {
  readonly message: number;
  readonly block?: number;
  readonly problem: string;
}

export interface CheckConversationOptions {
  /** Resolved name of the model that is asked; reasoning of another is a problem. Absent: not checked. */
  readonly model?: string;
  /** What the model takes. */
  readonly input?: ModelInput;
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
  const limits = requestLimits(options.input);
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
  const last = messages.at(-1);
  if (last?.role === 'assistant' && last.paused !== true) {
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
  if (!toolNamePattern.test(call.name)) report(`tool name ${JSON.stringify(call.name)} is not sendable`, index);
  if (!wireIdPattern.test(call.toolCallId)) report(`call ID ${JSON.stringify(call.toolCallId)} is not sendable`, index);
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
    case 'image':
      checkImage(block, limits, (problem) => report(problem, index));
      return;
    case 'audio':
      if (limits.audio?.includes(block.mediaType ?? '') === false)
        report(`audio ${block.mediaType} is not taken`, index);
      return;
    case 'embedded_resource':
      if (block.blob === undefined) return;
      if (limits.documents?.includes(block.mediaType ?? '') === false)
        report(`document ${block.mediaType} is not taken`, index);
      if (block.blob.length > limits.maxDocumentCharacters) report('document is too large', index);
      return;
    case 'resource_link':
      return;
    case 'unknown':
      report(`unknown block ${block.originalType}`, index);
  }
}

function checkImage(block: ImageContentBlock, limits: RequestLimits, report: (problem: string) => void): void {
  const uri = readDataUri(block.uri);
  if (uri === undefined || !/^[A-Za-z0-9+/]+={0,2}$/.test(uri.base64)) return report('image is not inline base64 data');
  if (!limits.images.includes(uri.mediaType ?? ''))
    return report(`image type ${uri.mediaType ?? '(none)'} is not sendable`);
  if (uri.base64.length > limits.maxImageCharacters) return report('image is too large');
  const found = sniffImageMediaType(firstBytes(uri.base64, 24));
  if (found !== undefined && found !== uri.mediaType) report(`image is said to be ${uri.mediaType} and is ${found}`);
  if (longerEdge(block) > limits.maxImageEdge) report(`image has more than ${limits.maxImageEdge} pixels on a side`);
}

function longerEdge(block: ImageContentBlock): number {
  const data = readDataUri(block.uri)?.base64 ?? '';
  const mediaType = sniffImageMediaType(firstBytes(data, 24));
  const header = mediaType === undefined ? undefined : readImageHeader(data, mediaType);
  return header === undefined ? 0 : Math.max(header.width, header.height);
}

function checkTotals(messages: readonly ModelMessage[], limits: RequestLimits, problems: ConversationProblem[]): void {
  let images = 0;
  let imageCharacters = 0;
  let largestEdge = 0;
  for (const message of messages) {
    for (const block of message.content) {
      for (const part of block.type === 'tool_result' ? block.content : [block]) {
        if (part.type !== 'image') continue;
        images += 1;
        imageCharacters += part.uri.length;
        if (limits.manyImages.above < Infinity) largestEdge = Math.max(largestEdge, longerEdge(part));
      }
    }
  }
  const message = Math.max(messages.length - 1, 0);
  const { above, maxImageEdge } = limits.manyImages;
  if (images > above && largestEdge > maxImageEdge)
    problems.push({
      message,
      problem: `${images} images, one of ${largestEdge} pixels on a side, over ${maxImageEdge}`,
    });
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
