import type {
  AssistantEntry,
  BetaContentBlock,
  BetaRawMessageStreamEvent,
  ModelBlock,
  NonNullableUsage,
  ReasoningDelta,
  SDKPartialAssistantMessage,
  TextDelta,
  ToolInputDelta,
} from '@rondo/protocol';
import { messageUuid, uuidBehind } from './line-uuid.ts';
import type { ProjectionState, StreamProgress } from './projection-state.ts';
import { citationsOf, wireReplyBlock } from './wire-content.ts';
import { wireModelName } from './wire-model-name.ts';
import { usageNotKnown } from './wire-usage.ts';

export type ReplyDelta = TextDelta | ReasoningDelta | ToolInputDelta;
type Show = (event: BetaRawMessageStreamEvent) => void;

/** What is known of a reply when it begins. */
type BegunReply = Pick<AssistantEntry, 'id' | 'model' | 'providerMessageId'>;

/**
 * The pieces of a reply as the messages API streams them. Every `message_start` has its `message_stop`, every block its
 * start and stop. A reader that lost a stretch of deltas gets no more of them: the rest comes with the whole reply, so
 * that texts add up. A reply that was discarded stops without a `message_delta`: its stop reason stays null.
 */
export function openStream(state: ProjectionState, reply: BegunReply, ttftMs?: number): SDKPartialAssistantMessage[] {
  const { id: entryId, model } = reply;
  const lines = closeStream(state);
  const stream: StreamProgress = {
    entryId,
    model,
    block: -1,
    place: -1,
    shown: 0,
    lines: 0,
    firstUuid: messageUuid(entryId, 'stream'),
    behind: false,
  };
  state.stream = stream;
  const show = shower(state, stream, lines);
  show({
    type: 'message_start',
    message: {
      id: reply.providerMessageId ?? entryId,
      type: 'message',
      role: 'assistant',
      model: wireModelName(model),
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: usageNotKnown,
    },
  });
  const [start] = lines.slice(-1);
  if (start !== undefined && ttftMs !== undefined) start.ttft_ms = ttftMs;
  return lines;
}

/** One delta. What was shown before is not shown again, what comes behind a hole is not shown yet. */
export function showDelta(state: ProjectionState, delta: ReplyDelta): SDKPartialAssistantMessage[] {
  const lines =
    state.stream?.entryId === delta.entryId
      ? []
      : openStream(state, { id: delta.entryId, model: state.stream?.model ?? '' });
  const stream = state.stream;
  if (stream === undefined || stream.behind || delta.block < stream.block) return lines;
  const shown = delta.block === stream.block ? stream.shown : 0;
  if (delta.offset > shown) {
    stream.behind = true;
    return lines;
  }
  const show = shower(state, stream, lines);
  if (delta.block > stream.block) openBlock(stream, delta.block, emptyBlock(delta), show);
  const fresh = delta.offset < shown ? delta.text.slice(shown - delta.offset) : delta.text;
  stream.shown = Math.max(shown, delta.offset + delta.text.length);
  if (fresh !== '') show({ type: 'content_block_delta', index: stream.place, delta: wireDelta(delta.type, fresh) });
  return lines;
}

/** Shows what of a whole reply was not shown yet; its last block stays open for {@link endStream}. */
export function completeStream(state: ProjectionState, entry: AssistantEntry): SDKPartialAssistantMessage[] {
  const lines = state.stream?.entryId === entry.id ? [] : openStream(state, entry);
  const stream = state.stream;
  if (stream === undefined) return lines;
  const show = shower(state, stream, lines);
  entry.content.forEach((block, index) => {
    const wire = wireReplyBlock(block);
    if (wire === undefined || index < stream.block) return;
    if (index > stream.block) openBlock(stream, index, withoutText(wire), show);
    showRest(stream, block, show);
  });
  return lines;
}

/** Ends the stream of a whole reply. */
export function endStream(
  state: ProjectionState,
  stopReason: string | null,
  usage: NonNullableUsage | undefined,
): SDKPartialAssistantMessage[] {
  const stream = state.stream;
  const lines: SDKPartialAssistantMessage[] = [];
  if (stream === undefined) return lines;
  const show = shower(state, stream, lines);
  if (stream.block >= 0) show({ type: 'content_block_stop', index: stream.place });
  show({
    type: 'message_delta',
    delta: { stop_reason: stopReason, stop_sequence: null },
    usage: usage ?? usageNotKnown,
  });
  show({ type: 'message_stop' });
  delete state.stream;
  return lines;
}

/** Ends the stream of a reply that will not be: its connection broke, or the turn was over. */
export function closeStream(state: ProjectionState): SDKPartialAssistantMessage[] {
  const stream = state.stream;
  const lines: SDKPartialAssistantMessage[] = [];
  if (stream === undefined) return lines;
  const show = shower(state, stream, lines);
  if (stream.block >= 0) show({ type: 'content_block_stop', index: stream.place });
  show({ type: 'message_stop' });
  delete state.stream;
  return lines;
}

function openBlock(stream: StreamProgress, index: number, block: BetaContentBlock, show: Show): void {
  if (stream.block >= 0) show({ type: 'content_block_stop', index: stream.place });
  stream.block = index;
  stream.place += 1;
  stream.shown = 0;
  show({ type: 'content_block_start', index: stream.place, content_block: block });
}

function showRest(stream: StreamProgress, block: ModelBlock, show: Show): void {
  const delta = (piece: Extract<BetaRawMessageStreamEvent, { type: 'content_block_delta' }>['delta']) =>
    show({ type: 'content_block_delta', index: stream.place, delta: piece });
  if (block.type === 'text' && block.text.length > stream.shown) {
    delta({ type: 'text_delta', text: block.text.slice(stream.shown) });
  }
  for (const citation of citationsOf(block)) delta({ type: 'citations_delta', citation });
  if (block.type === 'reasoning' && block.redacted === undefined) {
    if (block.text.length > stream.shown) delta({ type: 'thinking_delta', thinking: block.text.slice(stream.shown) });
    if (block.signature !== undefined) delta({ type: 'signature_delta', signature: block.signature });
  }
  // A call's streamed text need not be the canonical text of its arguments, so only an unseen one is shown whole.
  if (block.type === 'tool_call' && stream.shown === 0) {
    delta({ type: 'input_json_delta', partial_json: JSON.stringify(block.input) });
  }
}

function shower(state: ProjectionState, stream: StreamProgress, lines: SDKPartialAssistantMessage[]): Show {
  return (event) => {
    lines.push({
      type: 'stream_event',
      event,
      parent_tool_use_id: null,
      uuid: uuidBehind(stream.firstUuid, stream.lines),
      session_id: state.options.sessionId,
    });
    stream.lines += 1;
  };
}

function emptyBlock(delta: ReplyDelta): BetaContentBlock {
  switch (delta.type) {
    case 'text.delta':
      return { type: 'text', text: '' };
    case 'reasoning.delta':
      return { type: 'thinking', thinking: '', signature: '' };
    case 'tool_input.delta':
      return { type: 'tool_use', id: delta.toolCallId, name: delta.name, input: {} };
  }
}

function withoutText(block: BetaContentBlock): BetaContentBlock {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: '' };
    case 'thinking':
      return { ...block, thinking: '', signature: '' };
    case 'tool_use':
      return { ...block, input: {} };
    case 'redacted_thinking':
      return block;
  }
}

function wireDelta(type: ReplyDelta['type'], text: string) {
  switch (type) {
    case 'text.delta':
      return { type: 'text_delta' as const, text };
    case 'reasoning.delta':
      return { type: 'thinking_delta' as const, thinking: text };
    case 'tool_input.delta':
      return { type: 'input_json_delta' as const, partial_json: text };
  }
}
