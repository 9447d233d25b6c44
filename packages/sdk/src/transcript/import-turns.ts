import { randomUUID } from 'node:crypto';
import type { BindingRecord, ContentBlock, JsonObject, JsonValue, ModelBlock } from '@rondo/protocol';
import type { ImportedDraft } from '@rondo/runtime';
import { isRecord } from '../is-record.ts';
import { readUserMessage } from '../message/read-user-message.ts';
import { agentIdOf } from './agent-id.ts';
import { type SaidEntry, wholeEntry } from './read-chain.ts';

export interface ImportTurnsOptions {
  readonly sessionId: string;
  readonly binding: BindingRecord;
  readonly said: readonly SaidEntry[];
  /** Hears what of it cannot be taken along. */
  readonly leaveOut: (what: string) => void;
  /** Hears of each call that a subagent answered, as the transcript calls the subagent. */
  readonly onSubagent?: (agentId: string, spawnedBy: { readonly turnId: string; readonly callId: string }) => void;
}

/** A reply that is being gathered from its lines. */
interface Reply {
  readonly id: string;
  readonly providerId: unknown;
  readonly model: string;
  readonly at: string | undefined;
  readonly content: ModelBlock[];
  readonly uuids: string[];
  stopReason?: string;
}

/** A turn that is being gathered. */
interface Turn {
  readonly turnId: string;
  readonly drafts: ImportedDraft[];
  text: string;
  at: string | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** What a client says in a model's place names this one. */
const SYNTHETIC = '<synthetic>';
/** What stands as the model where a transcript names none: its lines are read, and no reasoning of it is sent back. */
const NO_MODEL = 'imported';

/**
 * Lines of a transcript as whole turns of a log, one a turn: a turn begins with what a person said. Lines keep
 * their UUIDs, so that what goes on from them is told apart from them. Nothing of it is run.
 */
export async function* importTurns(options: ImportTurnsOptions): AsyncGenerator<ImportedDraft[], void> {
  const { sessionId, binding, said, leaveOut, onSubagent } = options;
  /** Turns that are whole. */
  const ended: ImportedDraft[][] = [];
  /** By the provider's ID, the call's own. The last one of that ID counts. */
  const callIds = new Map<string, { readonly callId: string; readonly name: string }>();
  let turn: Turn | undefined;
  let reply: Reply | undefined;

  function begin(at: string | undefined): Turn {
    if (turn !== undefined) return turn;
    const turnId = randomUUID();
    turn = { turnId, text: '', at, drafts: [{ type: 'turn.started', turnId, binding, ...when(at) }] };
    return turn;
  }

  function endReply(): void {
    if (reply === undefined) return;
    const { id, content, uuids, model, at, providerId, stopReason } = reply;
    reply = undefined;
    const open = begin(at);
    for (const [index, block] of content.entries())
      if (block.type === 'tool_call') callIds.set(block.toolCallId, { callId: `${id}#${index}`, name: block.name });
    open.text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
    open.drafts.push({
      type: 'entry.completed',
      turnId: open.turnId,
      lines: uuids,
      entry: {
        type: 'assistant',
        id,
        model,
        content,
        ...(typeof providerId === 'string' ? { providerMessageId: providerId } : {}),
        ...(stopReason === undefined ? {} : { stopReason }),
      },
      ...when(at),
    });
  }

  function endTurn(): void {
    endReply();
    if (turn === undefined) return;
    const { turnId, text, drafts, at } = turn;
    turn = undefined;
    const record = {
      type: 'completed' as const,
      sessionId,
      turnId,
      cursor: '',
      text,
      toolCalls: [],
      usage: [],
      terminalReason: 'completed',
      stopReason: 'end_turn',
    };
    drafts.push({ type: 'turn.ended', turnId, record, ...when(at) });
    ended.push(drafts);
  }

  function addReply(entry: SaidEntry): void {
    const { message, uuid, timestamp } = entry;
    const { id, stop_reason: stopReason } = message;
    if (message['model'] === SYNTHETIC) return leaveOut("notes of the client's that stand as replies");
    if (reply !== undefined && (reply.providerId !== id || typeof id !== 'string')) endReply();
    reply ??= {
      id: randomUUID(),
      providerId: id,
      model: modelOf(message) || NO_MODEL,
      at: timestamp,
      content: [],
      uuids: [],
    };
    if (typeof stopReason === 'string') reply.stopReason = stopReason;
    for (const [index, block] of contentOf(message).entries()) {
      reply.content.push(replyBlock(block));
      reply.uuids.push(index === 0 ? uuid : '');
    }
  }

  function addSaid(entry: SaidEntry): void {
    endReply();
    const { message, uuid, timestamp, isMeta } = entry;
    const rest: Fields[] = [];
    let isLine = true;
    for (const block of contentOf(message)) {
      if (block['type'] !== 'tool_result') rest.push(block);
      else if (addResult(entry, block, isLine ? uuid : undefined)) isLine = false;
    }
    if (rest.length === 0) return;
    const content = rest.flatMap((block) => userBlocks(block, leaveOut));
    if (content.length === 0) return;
    if (!isMeta && isLine) endTurn();
    const { turnId, drafts } = begin(timestamp);
    drafts.push({
      type: 'entry.completed',
      turnId,
      entry: {
        type: 'message',
        id: randomUUID(),
        ...(isMeta ? { role: 'context', kind: 'stop_hook_feedback' } : { role: 'user' }),
        ...(isLine ? { messageId: uuid } : {}),
        content,
      },
      ...when(timestamp),
    });
  }

  function addResult(entry: SaidEntry, block: Fields, uuid: string | undefined): boolean {
    const toolCallId = block['tool_use_id'];
    const call = typeof toolCallId === 'string' ? callIds.get(toolCallId) : undefined;
    if (call === undefined || typeof toolCallId !== 'string') {
      leaveOut('results of calls that are not there');
      return false;
    }
    callIds.delete(toolCallId);
    const isError = block['is_error'] === true;
    const { turnId, drafts } = begin(entry.timestamp);
    const agentId = agentIdIn(entry.toolUseResult);
    if (agentId !== undefined) onSubagent?.(agentId, { turnId, callId: call.callId });
    const structured = uuid === undefined || isError ? undefined : entry.toolUseResult;
    const content = resultContent(block['content'], leaveOut);
    const text = content.flatMap((one) => (one.type === 'text' ? [one.text] : [])).join('\n');
    drafts.push({
      type: 'tool.completed',
      turnId,
      ...call,
      toolCallId,
      isError,
      outcome: isError ? 'error' : 'success',
      content,
      ...(structured === undefined ? {} : { structured: structured as JsonValue }),
      ...(isError ? { error: { message: text } } : {}),
      ...(uuid === undefined ? {} : { line: uuid }),
      ...when(entry.timestamp),
    });
    return true;
  }

  for (const entry of said) {
    if (turn !== undefined && entry.timestamp !== undefined) turn.at = entry.timestamp;
    if (entry.type === 'assistant') addReply(await wholeEntry(entry));
    else addSaid(await wholeEntry(entry));
    yield* ended.splice(0);
  }
  endTurn();
  yield* ended;
}

/** The subagent that a result is of: as the reference says it, or as this program does. */
function agentIdIn(result: unknown): string | undefined {
  if (!isRecord(result)) return undefined;
  const { agentId, sessionId } = result;
  if (typeof agentId === 'string') return agentId;
  return typeof sessionId === 'string' && sessionId.includes('.') ? agentIdOf(sessionId) : undefined;
}

function when(at: string | undefined): { readonly at?: string } {
  return at === undefined || Number.isNaN(Date.parse(at)) ? {} : { at: new Date(at).toISOString() };
}

/** The resolved name of the model of a reply; empty where it names none. */
export function modelOf({ model }: Fields): string {
  if (typeof model !== 'string' || model === SYNTHETIC) return '';
  return model.startsWith('claude-') ? `anthropic/${model}` : model;
}

function contentOf({ content }: Fields): readonly Fields[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return Array.isArray(content)
    ? content.filter((block): block is Fields => typeof block === 'object' && block !== null)
    : [];
}

function replyBlock(block: Fields): ModelBlock {
  const { type, text, thinking, signature, data, id, name, input } = block;
  if (type === 'text' && typeof text === 'string') return { type, text };
  if (type === 'thinking' && typeof thinking === 'string')
    return {
      type: 'reasoning',
      text: thinking,
      ...(typeof signature === 'string' && signature !== '' ? { signature } : {}),
    };
  if (type === 'redacted_thinking' && typeof data === 'string') return { type: 'reasoning', text: '', redacted: data };
  if (type === 'tool_use' && typeof id === 'string' && typeof name === 'string')
    return { type: 'tool_call', toolCallId: id, name, input: (input ?? {}) as JsonValue };
  return { type: 'opaque', provider: 'anthropic', raw: block as JsonObject };
}

function userBlocks(block: Fields, leaveOut: (what: string) => void): ContentBlock[] {
  try {
    return readUserMessage({
      type: 'user',
      parent_tool_use_id: null,
      // What it is, `readUserMessage` finds out.
      message: { role: 'user', content: [block] as never },
    }) as ContentBlock[];
  } catch {
    leaveOut(`blocks of type ${String(block['type'])}`);
    return [];
  }
}

function resultContent(content: unknown, leaveOut: (what: string) => void): ContentBlock[] {
  return contentOf({ content }).flatMap((block) => userBlocks(block, leaveOut));
}
