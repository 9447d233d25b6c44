import type { AssistantEntry, ContentBlock, JsonValue } from '@rondo/protocol';
import type { ConversationItem, ConversationResult } from '../event/conversation.ts';
import type { ReadBlob } from '../event/hydrate-event.ts';
import type { QuarantinedBlock } from '../event/quarantine-notice.ts';
import type { ModelInput, ModelMessage } from '../model/model.ts';
import { type CallAliases, createCallAliases } from './call-alias.ts';
import { createHeavyContent, type HeavyContent } from './heavy-content.ts';
import { makeRoom } from './make-room.ts';
import { type OpenMessage, openMessage, staysAway, userMessage } from './open-message.ts';
import type { ContextNotice } from './context-notice.ts';
import { type RequestLimits, requestLimits } from './request-limits.ts';
import { sendableContent, type SendContentOptions } from './sendable-content.ts';
import { sendableReply } from './sendable-reply.ts';
import { toolAlias } from './tool-alias.ts';

export interface BuiltContext {
  readonly messages: readonly ModelMessage[];
  readonly notices: readonly ContextNotice[];
  /** The tools' own names of the calls in it that are sent under another, by that other. */
  readonly toolNames: ReadonlyMap<string, string>;
}

export interface BuildContextOptions {
  /** Resolved name of the model that is asked. Another one than last time builds everything anew. */
  readonly model: string;
  /** What it takes; so does another one of these. */
  readonly input?: ModelInput;
  /** Entries of replies whose reasoning it did not take back. They are only ever more; then all is built anew. */
  readonly rejectedReasoning?: ReadonlySet<string>;
}

export interface ContextBuilderOptions {
  /** Bytes that were stored beside the log. May throw: the block is then sent as a reference. */
  readonly readBlob: ReadBlob;
  /** Reads the items that are light, for one build. One that the log has no more is left out. */
  readonly wholeItems?: () => WholeItems;
}

export interface WholeItems {
  read(item: ConversationItem): Promise<ConversationItem | undefined>;
  close(): Promise<void>;
}

/**
 * Makes of a conversation what a model is asked. Whatever the conversation holds, the messages pass `checkConversation`;
 * nothing in it can make a build fail. What is built follows from the conversation, the model's name, what it
 * takes and what it did not take back, and not from what was built before. Building again after something was appended
 * costs what is new, and gives the same message objects but for the last user message, unless content had to go because
 * the request grew over its limits.
 */
export interface ContextBuilder {
  build(conversation: readonly ConversationItem[], options: BuildContextOptions): Promise<BuiltContext>;
}

const NO_OUTPUT = '(no output)';
const noEntries: ReadonlySet<string> = new Set();

type AssistantMessage = Extract<ModelMessage, { role: 'assistant' }>;

interface Progress {
  readonly model: string;
  readonly input: ModelInput | undefined;
  readonly rejectedReasoning: ReadonlySet<string>;
  /** How many they were when this was begun. */
  readonly rejections: number;
  readonly limits: RequestLimits;
  /** How many items are in, and the last of them. */
  count: number;
  last: ConversationItem | undefined;
  /** Finished messages; the open one comes after them. */
  readonly messages: ModelMessage[];
  open: OpenMessage;
  readonly aliases: CallAliases;
  readonly heavy: HeavyContent;
  readonly toolNames: Map<string, string>;
}

export function createContextBuilder({ readBlob, wholeItems }: ContextBuilderOptions): ContextBuilder {
  let progress: Progress | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const build = async (
    conversation: readonly ConversationItem[],
    { model, input, rejectedReasoning = noEntries }: BuildContextOptions,
  ): Promise<BuiltContext> => {
    const notices: ContextNotice[] = [];
    const current =
      progress !== undefined &&
      progress.model === model &&
      isSameInput(progress.input, input) &&
      progress.rejections === rejectedReasoning.size &&
      continues(conversation, progress)
        ? progress
        : startProgress(model, input, rejectedReasoning);
    progress = undefined;
    let reader: WholeItems | undefined;
    try {
      for (const item of conversation.slice(current.count)) {
        const whole = item.isLight === true ? await (reader ??= wholeItems?.())?.read(item) : item;
        if (whole !== undefined) await addItem(current, whole, { readBlob, notices });
        current.count += 1;
        current.last = item;
      }
    } finally {
      await reader?.close();
    }
    progress = current;
    // A literal with a spread takes milliseconds once there are ten thousand messages; this copies memory.
    const messages = current.messages.concat(
      staysAway(current.open) ? [] : (current.open.built ??= userMessage(current.open, current.messages.length)),
    );
    return { messages, notices, toolNames: current.toolNames };
  };

  return {
    build(conversation, options) {
      const built = last.then(() => build(conversation, options));
      last = built.catch(() => {});
      return built;
    },
  };
}

function startProgress(model: string, input: ModelInput | undefined, rejectedReasoning: ReadonlySet<string>): Progress {
  const limits = requestLimits(input);
  return {
    model,
    input,
    rejectedReasoning,
    rejections: rejectedReasoning.size,
    limits,
    count: 0,
    last: undefined,
    messages: [],
    open: openMessage(undefined, []),
    aliases: createCallAliases(),
    heavy: createHeavyContent(limits),
    toolNames: new Map(),
  };
}

/** A model that was resolved anew brings the same figures in another object. */
function isSameInput(one: ModelInput | undefined, other: ModelInput | undefined): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
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
  readonly notices: ContextNotice[];
}

/** Room is made after each item, wherever a request was made: a resumed session then builds the same. */
async function addItem(progress: Progress, item: ConversationItem, options: AddOptions): Promise<void> {
  switch (item.kind) {
    case 'message':
      progress.open.content.push(
        ...(await addContent(progress, item.entry.content, { entryId: item.entry.id }, options)),
      );
      progress.open.built = undefined;
      break;
    case 'assistant':
      await addReply(progress, item.entry, options);
      break;
    case 'result':
      await addResult(progress, item.entryId, item.result, options);
      break;
  }
  options.notices.push(...makeRoom(progress));
}

async function addContent(
  progress: Progress,
  content: readonly ContentBlock[],
  place: Omit<QuarantinedBlock, 'block'>,
  options: AddOptions,
): Promise<ContentBlock[]> {
  const sendable = await sendableContent(content, sendOptions(progress, options, place));
  return sendable.map((sent) => progress.heavy.add(progress.messages.length, { ...place, block: sent.index }, sent));
}

async function addReply(progress: Progress, entry: AssistantEntry, options: AddOptions): Promise<void> {
  const { model, aliases, heavy } = progress;
  const rejected = progress.rejectedReasoning.has(entry.id);
  const reply = await sendableReply(entry, {
    ...sendOptions(progress, options, { entryId: entry.id }),
    model,
    aliases,
    rejected,
  });
  for (const { name } of reply.calls) if (toolAlias(name) !== name) progress.toolNames.set(toolAlias(name), name);
  if (reply.content.length === 0) return;
  const goesOn = entry.stopReason === 'pause_turn' && entry.model === model && !rejected;
  const paused = goesOn && reply.calls.length === 0;
  addMessages(progress, { role: 'assistant', content: reply.content, model: entry.model, ...(paused && { paused }) });
  for (const block of reply.content)
    heavy.addCharacters(block.type === 'tool_call' ? lengthOf(block.input) : lengthOf(block));
  progress.open = openMessage(entry.id, reply.calls, paused);
}

/** Behind the user's message comes the reply. What goes on with a reply that had paused is one with it. */
function addMessages(progress: Progress, reply: AssistantMessage): void {
  const { messages, open } = progress;
  const before = messages.at(-1);
  if (before?.role === 'assistant' && before.model === reply.model && staysAway(open)) {
    messages[messages.length - 1] = { ...reply, content: [...before.content, ...reply.content] };
  } else {
    messages.push(open.built ?? userMessage(open, messages.length), reply);
  }
}

/** A result counts once, and only until the model has spoken again: after that it was told that there is none. */
async function addResult(
  progress: Progress,
  entryId: string,
  result: ConversationResult,
  options: AddOptions,
): Promise<void> {
  const { open } = progress;
  if (open.entryId !== entryId) return;
  const waiting = open.calls.filter((call) => call.toolCallId === result.toolCallId && !open.results.has(call));
  const call = waiting.find(({ block }) => result.callId.endsWith(`#${block}`)) ?? waiting[0];
  if (call === undefined) return;
  const content = await addContent(progress, result.content, { entryId, callId: result.callId }, options);
  if (content.length === 0)
    content.push({ type: 'text', text: (result.error?.message.trim() || NO_OUTPUT).toWellFormed() });
  open.results.set(call, { type: 'tool_result', toolCallId: call.alias, content, isError: result.isError });
  open.built = undefined;
}

function sendOptions(
  { limits }: Progress,
  { readBlob, notices }: AddOptions,
  place: Omit<QuarantinedBlock, 'block'>,
): SendContentOptions {
  return {
    readBlob,
    limits,
    quarantined: (block, what, reason) => void notices.push({ ...place, block, what, reason }),
  };
}

function lengthOf(value: JsonValue | object): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 4;
  let length = 0;
  for (const [key, member] of Object.entries(value)) length += key.length + lengthOf(member);
  return length;
}
