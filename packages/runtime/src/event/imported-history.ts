import type {
  AssistantEntry,
  ContentBlock,
  HistoryEntry,
  JsonObject,
  JsonValue,
  MethodParams,
  ModelBlock,
} from '@rondo/protocol';
import type { ConversationItem } from './conversation.ts';

/** What stands where a reply names its model: no model wrote it here, so nothing of it is anyone's to have back. */
export const IMPORTED_MODEL = 'imported';

/** An entry as `session/create` takes it: what has a default may be left out. */
export type GivenEntry = NonNullable<MethodParams<'session/create'>['history']>[number];

/** The entry as the log has it. */
export function importedEntry(entry: GivenEntry, id: string): HistoryEntry {
  switch (entry.type) {
    case 'message': {
      const content = (entry.content ?? []).map(withText);
      if (entry.role === 'assistant')
        return { type: 'assistant', id, model: IMPORTED_MODEL, content: content.map(spokenBlock) };
      return { type: 'message', id, role: entry.role, content };
    }
    case 'reasoning':
      return { type: 'reasoning', id, text: entry.text };
    case 'tool_call': {
      const { toolCallId, name, toolKind = 'local', arguments: input = null } = entry;
      return { type: 'tool_call', id, toolCallId, toolKind, name, arguments: input };
    }
    case 'tool_result': {
      const { toolCallId, name, result = null, error, annotations = {} } = entry;
      return {
        type: 'tool_result',
        id,
        toolCallId,
        ...(name === undefined || name === null ? {} : { name }),
        ...(error === undefined || error === null ? { result } : { error }),
        annotations,
      };
    }
    case 'snapshot':
      return {
        type: 'checkpoint',
        id,
        message: `${entry.taskName}:${entry.snapshotType}`,
        details: entry.value ?? null,
      };
  }
}

/**
 * Puts a call, a result or a reply that was imported where the model will find it. Calls that follow one another, and
 * what was said before them, are one reply, as they would have been.
 */
export function addImported(conversation: ConversationItem[], entry: HistoryEntry): void {
  if (entry.type === 'assistant') addReply(conversation, entry.id, entry.content);
  else if (entry.type === 'tool_call') {
    const { id, toolCallId, name, arguments: input } = entry;
    addReply(conversation, id, [{ type: 'tool_call', toolCallId, name, input: argumentsOf(input) }]);
  } else if (entry.type === 'tool_result') {
    const { toolCallId, result = null, error } = entry;
    const place = callOf(conversation, toolCallId);
    if (place === undefined) return;
    conversation.push({
      kind: 'result',
      entryId: place.entryId,
      result: {
        callId: `${place.entryId}#${place.block}`,
        toolCallId,
        isError: error !== undefined,
        content: [{ type: 'text', text: error === undefined ? textOf(result) : error.message }],
        outcome: error === undefined ? 'success' : 'error',
        ...(error === undefined ? {} : { error }),
      },
    });
  }
}

function addReply(conversation: ConversationItem[], id: string, content: readonly ModelBlock[]): void {
  const last = conversation.at(-1);
  if (last?.kind !== 'assistant' || last.entry.model !== IMPORTED_MODEL) {
    conversation.push({
      kind: 'assistant',
      entry: { type: 'assistant', id, model: IMPORTED_MODEL, content: [...content] },
    });
    return;
  }
  const entry: AssistantEntry = { ...last.entry, content: [...last.entry.content, ...content] };
  conversation[conversation.length - 1] = { kind: 'assistant', entry };
}

/** The last call of that ID that has no result yet. */
function callOf(
  conversation: readonly ConversationItem[],
  toolCallId: string,
): { readonly entryId: string; readonly block: number } | undefined {
  const answered = new Set<string>();
  for (let index = conversation.length - 1; index >= 0; index -= 1) {
    const item = conversation[index];
    if (item?.kind === 'result') answered.add(item.result.callId);
    if (item?.kind !== 'assistant') continue;
    const { id, content } = item.entry;
    const block = content.findIndex(
      (candidate, at) =>
        candidate.type === 'tool_call' && candidate.toolCallId === toolCallId && !answered.has(`${id}#${at}`),
    );
    if (block >= 0) return { entryId: id, block };
  }
  return undefined;
}

/** A model's calls have objects as arguments; whatever else was imported is kept under one name. */
function argumentsOf(value: JsonValue): JsonValue {
  if (value === null) return {};
  return typeof value === 'object' && !Array.isArray(value) ? value : { value };
}

function textOf(result: JsonValue): string {
  if (result === null) return '';
  return typeof result === 'string' ? result : JSON.stringify(result);
}

/** A model's own words are text; what else it was said to have shown stands as a description of it. */
function spokenBlock(block: ContentBlock): ModelBlock {
  if (block.type === 'text' || block.type === 'image') return block;
  // A block that came over a wire is JSON.
  return { type: 'opaque', provider: IMPORTED_MODEL, raw: block as JsonObject };
}

type ImportedBlock = NonNullable<Extract<GivenEntry, { type: 'message' }>['content']>[number];

function withText(block: ImportedBlock): ContentBlock {
  return block.type === 'text' ? { ...block, text: block.text ?? '' } : block;
}
