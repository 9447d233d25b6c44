import type {
  AnyEvent,
  AssistantEntry,
  ContentBlock,
  HistoryEntry,
  HistoryItem,
  HistoryMessage,
  JsonObject,
  JsonValue,
  MethodResult,
  ModelBlock,
  ToolCompleted,
} from '@rondo/protocol';
import { IMPORTED_MODEL } from '../event/imported-history.ts';

export interface HistoryPageOptions {
  readonly sessionId: string;
  /** The session's events behind the page's start. */
  readonly events: AsyncIterable<AnyEvent>;
  /** Cursor of the page's start. */
  readonly cursor: string;
  readonly limit: number;
}

/** A page being made: items in their places, and what of them is not certain yet. */
interface Page {
  readonly items: PageItem[];
  /** Calls without a result, whose arguments may still be put in another's place, by the calls' IDs. */
  readonly open: Map<string, PageItem>;
  /** The last that was said was said in a turn, and no model has been asked about it: a hook may still take it back. */
  isUnasked: boolean;
}

interface PageItem {
  item: HistoryItem;
  readonly entryId: string;
}

/**
 * A page of what was said and done, as a reader gets it. It ends where the limit is reached and every call on it has its
 * result, so that the arguments that it shows are those that were used, and what was taken back is not on it.
 */
export async function readHistory(options: HistoryPageOptions): Promise<MethodResult<'history/list'>> {
  const page: Page = { items: [], open: new Map(), isUnasked: false };
  let cursor = options.cursor;
  for await (const event of options.events) {
    if (event.sessionId !== options.sessionId) continue;
    // What follows a reply may take it back, so a page is full only when more has come.
    if (page.items.length >= options.limit && page.open.size === 0 && !page.isUnasked && beginsItems(event))
      return { items: page.items.map(({ item }) => item), cursor, more: true };
    if (event.type !== 'unknown') take(page, event);
    cursor = event.id;
  }
  return { items: page.items.map(({ item }) => item), cursor, more: false };
}

function beginsItems(event: AnyEvent): boolean {
  return event.type === 'entry.completed' || event.type === 'tool.completed' || event.type === 'turn.started';
}

function take(page: Page, event: Exclude<AnyEvent, { type: 'unknown' }>): void {
  switch (event.type) {
    case 'entry.completed':
      add(page, event.entry, event.turnId);
      page.isUnasked = event.turnId !== undefined && event.entry.type === 'message';
      break;
    case 'model.requested':
      page.isUnasked = false;
      break;
    case 'entry.discarded': {
      const kept = page.items.filter(({ entryId }) => entryId !== event.entryId);
      page.items.splice(0, page.items.length, ...kept);
      for (const callId of page.open.keys()) if (callId.startsWith(`${event.entryId}#`)) page.open.delete(callId);
      break;
    }
    case 'tool.requested': {
      const call = page.open.get(event.callId);
      if (call?.item.type === 'tool_call') call.item = { ...call.item, toolKind: event.toolKind };
      break;
    }
    case 'tool.decided': {
      const call = page.open.get(event.callId);
      if (call?.item.type === 'tool_call' && event.input !== undefined)
        call.item = { ...call.item, arguments: event.input };
      break;
    }
    case 'tool.completed':
      page.open.delete(event.callId);
      page.items.push({ item: resultOf(event), entryId: entryOf(event.callId) });
      break;
    case 'turn.ended':
      page.open.clear();
      page.isUnasked = false;
      break;
    default:
  }
}

function add(page: Page, entry: HistoryEntry, turnId: string | undefined): void {
  if (entry.type === 'assistant') {
    addReply(page, entry, turnId);
    return;
  }
  const entryId = entry.type === 'unknown' ? '' : entry.id;
  page.items.push({ item: itemOf(entry, turnId), entryId });
}

function itemOf(entry: Exclude<HistoryEntry, AssistantEntry>, turnId: string | undefined): HistoryItem {
  const inTurn = turnId === undefined ? {} : { turnId };
  switch (entry.type) {
    case 'message':
      return { ...entry, ...inTurn, text: joinedText(entry.content) };
    case 'tool_call':
      return { ...entry, ...inTurn };
    case 'tool_result': {
      const { id, toolCallId, name = null, result = null, error = null, content = [], annotations = {} } = entry;
      return { type: 'tool_result', id, ...inTurn, toolCallId, name, result, error, content, annotations };
    }
    case 'reasoning':
      return { type: 'unknown', originalType: 'reasoning', raw: { id: entry.id, text: entry.text } };
    case 'checkpoint':
      return {
        type: 'unknown',
        originalType: 'checkpoint',
        raw: { id: entry.id, message: entry.message, details: entry.details },
      };
    default:
      return entry;
  }
}

/** What the model said, thought and called, in its own order; what it said in one piece is one message. */
function addReply(page: Page, entry: AssistantEntry, turnId: string | undefined): void {
  let said: ContentBlock[] = [];
  let messages = 0;

  function endMessage(): void {
    if (said.length === 0) return;
    const id = messages === 0 ? entry.id : `${entry.id}~${messages}`;
    const inTurn = turnId === undefined ? {} : { turnId };
    const item: HistoryMessage = {
      type: 'message',
      id,
      ...inTurn,
      role: 'assistant',
      text: joinedText(said),
      content: said,
    };
    page.items.push({ item, entryId: entry.id });
    messages += 1;
    said = [];
  }

  for (const [index, block] of entry.content.entries()) {
    const piece = pieceOf(block, `${entry.id}#${index}`, turnId);
    if ('said' in piece) {
      said.push(piece.said);
      continue;
    }
    endMessage();
    const added: PageItem = { item: piece.item, entryId: entry.id };
    page.items.push(added);
    if (piece.item.type === 'tool_call') page.open.set(piece.item.id, added);
  }
  endMessage();
}

/** A block as part of a message for people, or as an item of its own. */
function pieceOf(
  block: ModelBlock,
  id: string,
  turnId: string | undefined,
): { readonly said: ContentBlock } | { readonly item: HistoryItem } {
  switch (block.type) {
    case 'text': {
      const { providerData: _own, ...text } = block;
      return { said: text };
    }
    case 'image':
    case 'unknown':
      return { said: block };
    case 'tool_call': {
      const { toolCallId, name, input } = block;
      const inTurn = turnId === undefined ? {} : { turnId };
      return { item: { type: 'tool_call', id, ...inTurn, toolCallId, toolKind: 'local', name, arguments: input } };
    }
    case 'reasoning':
      return { item: { type: 'unknown', originalType: 'reasoning', raw: { id, text: block.text } } };
    case 'opaque':
      // An import kept it whole: it is the block that was given.
      return block.provider === IMPORTED_MODEL
        ? { said: block.raw as JsonObject & ContentBlock }
        : { item: { type: 'unknown', originalType: 'opaque', raw: { id, provider: block.provider, raw: block.raw } } };
  }
}

function resultOf(event: ToolCompleted): HistoryItem {
  const { callId, toolCallId, name, turnId, content, structured, error, isError } = event;
  return {
    type: 'tool_result',
    id: `${callId}:result`,
    turnId,
    toolCallId,
    name,
    result: isError ? null : structured === undefined ? textResult(content) : structured,
    error: isError ? (error ?? { message: joinedText(content) }) : null,
    content,
    annotations: {},
  };
}

/** For programs a text where that is all; anything else stands in the content. */
function textResult(content: readonly ContentBlock[]): JsonValue {
  return content.every((block) => block.type === 'text') ? joinedText(content) : null;
}

function joinedText(content: readonly ContentBlock[]): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

function entryOf(callId: string): string {
  return callId.slice(0, callId.lastIndexOf('#'));
}
