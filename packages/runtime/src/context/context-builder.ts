import type { AssistantEntry, ContentBlock, JsonValue, ToolCompleted } from '@rondo/protocol';
import type { ConversationItem } from '../event/conversation.ts';
import type { ReadBlob } from '../event/hydrate-event.ts';
import type { ModelMessage, ToolResultBlock } from '../model/model.ts';
import { type CallAliases, createCallAliases } from './call-alias.ts';
import { createHeavyContent, type HeavyContent, replaceBlocks } from './heavy-content.ts';
import { defaultRequestLimits, type RequestLimits } from './request-limits.ts';
import { placeholder, sendableContent, type SendContentOptions } from './sendable-content.ts';
import { sendableReply, type SentCall } from './sendable-reply.ts';

/** A block that is not sent as it was stored. Reported when its entry is first built, once a builder. */
export interface ContextNotice {
  readonly entryId: string;
  /** Set when the block is in the result of a call. */
  readonly callId?: string;
  /** The block's place in its entry or result. */
  readonly block: number;
  readonly reason: string;
}

export interface BuiltContext {
  readonly messages: readonly ModelMessage[];
  readonly notices: readonly ContextNotice[];
}

export interface BuildContextOptions {
  /** Resolved name of the model that is asked. Another one than last time builds everything anew. */
  readonly model: string;
}

export interface ContextBuilderOptions {
  /** Bytes that were stored beside the log. May throw: the block is then sent as a reference. */
  readonly readBlob: ReadBlob;
  readonly limits?: Partial<RequestLimits>;
}

/**
 * Makes of a conversation what a model is asked. Whatever the conversation holds, the messages pass `checkConversation`;
 * nothing in it can make a build fail. Building again after something was appended costs what is new, and gives the
 * same message objects but for the last user message, unless content had to go because the request grew over its limits.
 */
export interface ContextBuilder {
  build(conversation: readonly ConversationItem[], options: BuildContextOptions): Promise<BuiltContext>;
}

const OPENING = 'The conversation continues from here.';
const CONTINUE = 'Continue.';
const NO_OUTPUT = '(no output)';
const NO_RESULT =
  'The call was cut off before it gave a result. It may or may not have taken effect: find out before you repeat it.';

/** The user message being gathered: results of the calls before it, then what was said. */
interface OpenMessage {
  readonly entryId: string | undefined;
  readonly calls: readonly SentCall[];
  readonly results: Map<SentCall, ToolResultBlock>;
  readonly content: ContentBlock[];
  built: ModelMessage | undefined;
}

interface Progress {
  readonly model: string;
  /** How many items are in, and the last of them. */
  count: number;
  last: ConversationItem | undefined;
  /** Finished messages; the open one comes after them. */
  readonly messages: ModelMessage[];
  open: OpenMessage;
  readonly aliases: CallAliases;
  readonly heavy: HeavyContent;
}

export function createContextBuilder(options: ContextBuilderOptions): ContextBuilder {
  const limits = { ...defaultRequestLimits, ...options.limits };
  let progress: Progress | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const build = async (conversation: readonly ConversationItem[], model: string): Promise<BuiltContext> => {
    const notices: ContextNotice[] = [];
    const current =
      progress !== undefined && progress.model === model && continues(conversation, progress)
        ? progress
        : startProgress(model, limits);
    progress = undefined;
    for (const item of conversation.slice(current.count)) {
      await addItem(current, item, { ...options, limits, notices });
      current.count += 1;
      current.last = item;
    }
    makeRoom(current);
    current.open.built ??= userMessage(current);
    progress = current;
    // A literal with a spread takes milliseconds once there are ten thousand messages; this copies memory.
    return { messages: current.messages.concat(current.open.built), notices };
  };

  return {
    build(conversation, { model }) {
      const built = last.then(() => build(conversation, model));
      last = built.catch(() => {});
      return built;
    },
  };
}

function startProgress(model: string, limits: RequestLimits): Progress {
  return {
    model,
    count: 0,
    last: undefined,
    messages: [],
    open: openMessage(undefined, []),
    aliases: createCallAliases(),
    heavy: createHeavyContent(limits),
  };
}

function openMessage(entryId: string | undefined, calls: readonly SentCall[]): OpenMessage {
  return { entryId, calls, results: new Map(), content: [], built: undefined };
}

/**
 * An entry may be taken out of a conversation afterwards; then its builder starts again. What was taken out has moved
 * all that came after it, so the last item tells.
 */
function continues(conversation: readonly ConversationItem[], { count, last }: Progress): boolean {
  return count === 0 || conversation[count - 1] === last;
}

interface AddOptions {
  readonly readBlob: ReadBlob;
  readonly limits: RequestLimits;
  readonly notices: ContextNotice[];
}

async function addItem(progress: Progress, item: ConversationItem, options: AddOptions): Promise<void> {
  switch (item.kind) {
    case 'message': {
      const content = await sendableContent(item.entry.content, sendOptions(options, { entryId: item.entry.id }));
      progress.heavy.add(progress.messages.length, content);
      progress.open.content.push(...content);
      progress.open.built = undefined;
      return;
    }
    case 'assistant':
      return addReply(progress, item.entry, options);
    case 'result':
      return addResult(progress, item.entryId, item.result, options);
  }
}

async function addReply(progress: Progress, entry: AssistantEntry, options: AddOptions): Promise<void> {
  const { model, aliases, heavy } = progress;
  const reply = await sendableReply(entry, { ...sendOptions(options, { entryId: entry.id }), model, aliases });
  if (reply.content.length === 0) return;
  // The room is made where the request before this reply made it, so that a resumed session builds the same.
  makeRoom(progress);
  progress.messages.push(progress.open.built ?? userMessage(progress));
  progress.messages.push({ role: 'assistant', content: reply.content, model: entry.model });
  for (const block of reply.content)
    heavy.addCharacters(block.type === 'tool_call' ? lengthOf(block.input) : lengthOf(block));
  progress.open = openMessage(entry.id, reply.calls);
}

/** A result counts once, and only until the model has spoken again: after that it was told that there is none. */
async function addResult(
  progress: Progress,
  entryId: string,
  result: ToolCompleted,
  options: AddOptions,
): Promise<void> {
  const { open } = progress;
  if (open.entryId !== entryId) return;
  const waiting = open.calls.filter((call) => call.toolCallId === result.toolCallId && !open.results.has(call));
  const call = waiting.find(({ block }) => result.callId.endsWith(`#${block}`)) ?? waiting[0];
  if (call === undefined) return;
  const content = await sendableContent(result.content, sendOptions(options, { entryId, callId: result.callId }));
  if (content.length === 0)
    content.push({ type: 'text', text: (result.error?.message.trim() || NO_OUTPUT).toWellFormed() });
  progress.heavy.add(progress.messages.length, content);
  open.results.set(call, { type: 'tool_result', toolCallId: call.alias, content, isError: result.isError });
  open.built = undefined;
}

function sendOptions(
  options: AddOptions,
  place: { readonly entryId: string; readonly callId?: string },
): SendContentOptions {
  const { readBlob, limits, notices } = options;
  return { readBlob, limits, quarantined: (block, reason) => void notices.push({ ...place, block, reason }) };
}

function userMessage({ messages, open }: Progress): ModelMessage {
  const results = open.calls.map((call) => open.results.get(call) ?? missingResult(call.alias));
  const content = [...results, ...open.content];
  if (content.length === 0) content.push({ type: 'text', text: messages.length === 0 ? OPENING : CONTINUE });
  return { role: 'user', content };
}

function missingResult(toolCallId: string): ToolResultBlock {
  return { type: 'tool_result', toolCallId, isError: true, content: [{ type: 'text', text: NO_RESULT }] };
}

function makeRoom(progress: Progress): void {
  const { messages, open, heavy } = progress;
  for (const [index, gone] of heavy.overflow()) {
    const replace = (block: ContentBlock): ContentBlock =>
      gone.has(block) ? placeholder(withoutContent(block), 'the conversation grew too large to send it again') : block;
    const message = messages[index];
    if (message?.role === 'user') messages[index] = replaceBlocks(message, replace);
    if (index < messages.length) continue;
    open.content.splice(0, Infinity, ...open.content.map(replace));
    for (const [call, result] of open.results)
      open.results.set(call, { ...result, content: result.content.map(replace) });
    open.built = undefined;
  }
}

function withoutContent(block: ContentBlock): ContentBlock {
  return block.type === 'text' ? { ...block, text: `${block.text.slice(0, 500)}…` } : block;
}

function lengthOf(value: JsonValue | object): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 4;
  let length = 0;
  for (const [key, member] of Object.entries(value)) length += key.length + lengthOf(member);
  return length;
}
