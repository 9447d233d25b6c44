import type { AnyEvent, BetaRawMessageStreamEvent, ModelBlock, SDKMessage, TransientEvent } from '@rondo/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createProjection } from './project-message.ts';

const sessionId = '0b9a1c1e-0000-4000-8000-000000000002';
const base = { sessionId, turnId: 't1', seq: 1, id: 'x', at: '2025-01-01T00:00:00.000Z' };
const model = 'anthropic/claude-test';

const added = (id: string): AnyEvent => ({
  ...base,
  type: 'entry.added',
  entry: { type: 'assistant', id, content: [], model },
});
const completed = (id: string, content: ModelBlock[], stopReason = 'end_turn'): AnyEvent => ({
  ...base,
  type: 'entry.completed',
  entry: { type: 'assistant', id, content, model, stopReason },
});
const answered = (entryId: string): AnyEvent => ({
  ...base,
  type: 'model.completed',
  requestId: 'r',
  entryId,
  model,
  stopReason: 'end_turn',
  usage: { inputTokens: 1, outputTokens: 2 },
  durationMs: 1,
});
const discarded = (entryId: string): AnyEvent => ({
  ...base,
  type: 'entry.discarded',
  entryId,
  reason: 'stream_retried',
});

/** One delta a piece, the first of each block empty, as the engine shows them. */
function deltas(entryId: string, content: readonly ModelBlock[], size: number): TransientEvent[] {
  return content.flatMap((block, index): TransientEvent[] => {
    const text = textOf(block);
    const pieces: TransientEvent[] = [];
    for (let offset = 0; offset <= text.length; offset += size) {
      pieces.push(
        delta(
          entryId,
          index,
          block,
          offset === 0 ? 0 : offset - size,
          offset === 0 ? '' : text.slice(offset - size, offset),
        ),
      );
    }
    const shown = Math.floor(text.length / size) * size;
    if (shown < text.length) pieces.push(delta(entryId, index, block, shown, text.slice(shown)));
    return pieces;
  });
}

function delta(entryId: string, block: number, of: ModelBlock, offset: number, text: string): TransientEvent {
  const piece = { sessionId, turnId: 't1', after: 'x', entryId, block, offset, text };
  if (of.type === 'tool_call') return { type: 'tool_input.delta', ...piece, toolCallId: of.toolCallId, name: of.name };
  return { type: of.type === 'reasoning' ? 'reasoning.delta' : 'text.delta', ...piece };
}

function textOf(block: ModelBlock): string {
  if (block.type === 'tool_call') return JSON.stringify(block.input);
  return block.type === 'text' || block.type === 'reasoning' ? block.text : '';
}

function project(events: readonly (AnyEvent | TransientEvent)[]): SDKMessage[] {
  const projection = createProjection({ sessionId, includePartialMessages: true });
  return events.flatMap((event) => projection.push(event));
}

function streamOf(lines: readonly SDKMessage[]): BetaRawMessageStreamEvent[] {
  return lines.flatMap((line) => (line.type === 'stream_event' ? [line.event] : []));
}

/** Reads a stream as a strict consumer does: what is out of place throws. */
function accumulate(events: readonly BetaRawMessageStreamEvent[]) {
  const messages: { blocks: { text: string; signature: string }[]; stopReason: string | null }[] = [];
  let open: number | undefined;
  let current: (typeof messages)[number] | undefined;
  for (const event of events) {
    if (event.type === 'message_start') {
      if (current !== undefined) throw new Error('message_start inside a message');
      current = { blocks: [], stopReason: null };
      continue;
    }
    if (current === undefined) throw new Error(`${event.type} outside a message`);
    if (event.type === 'content_block_start') {
      if (open !== undefined || event.index !== current.blocks.length) throw new Error('block out of place');
      open = event.index;
      current.blocks.push({ text: '', signature: '' });
    } else if (event.type === 'content_block_delta') {
      const block = current.blocks[event.index];
      if (open !== event.index || block === undefined) throw new Error('delta outside its block');
      const { delta } = event;
      if (delta.type === 'text_delta') block.text += delta.text;
      if (delta.type === 'thinking_delta') block.text += delta.thinking;
      if (delta.type === 'input_json_delta') block.text += delta.partial_json;
      if (delta.type === 'signature_delta') block.signature += delta.signature;
    } else if (event.type === 'content_block_stop') {
      if (open !== event.index) throw new Error('stop of a block that is not open');
      open = undefined;
    } else if (event.type === 'message_delta') {
      current.stopReason = event.delta.stop_reason;
    } else {
      if (open !== undefined) throw new Error('message_stop inside a block');
      messages.push(current);
      current = undefined;
    }
  }
  if (current !== undefined) throw new Error('a message that never stopped');
  return messages;
}

const content: ModelBlock[] = [
  { type: 'reasoning', text: 'hmm, well', signature: 'sig' },
  { type: 'text', text: 'Hello there' },
  { type: 'tool_call', toolCallId: 'c1', name: 'Read', input: { path: 'a.txt' } },
];

test('a reply streams block by block, and its lines come before the last block stops', () => {
  const lines = project([added('e1'), ...deltas('e1', content, 4), completed('e1', content), answered('e1')]);
  const [message] = accumulate(streamOf(lines));
  expect(message?.blocks.map((block) => block.text)).toEqual(content.map(textOf));
  expect(message?.blocks[0]?.signature).toBe('');
  expect(message?.stopReason).toBe('end_turn');
  const kinds = lines.map((line) => (line.type === 'stream_event' ? line.event.type : line.type));
  expect(kinds.slice(-6)).toEqual([
    'assistant',
    'assistant',
    'assistant',
    'content_block_stop',
    'message_delta',
    'message_stop',
  ]);
  expect(streamOf(lines)[1]).toMatchObject({ content_block: { type: 'thinking', thinking: '' } });
  const start = streamOf(lines).find((event) => event.type === 'content_block_start' && event.index === 2);
  expect(start).toMatchObject({ content_block: { type: 'tool_use', id: 'c1', name: 'Read', input: {} } });
});

test('a reply that was not streamed still has its whole stream, the signature included', () => {
  const [message] = accumulate(streamOf(project([added('e1'), completed('e1', content), answered('e1')])));
  expect(message?.blocks).toEqual([
    { text: 'hmm, well', signature: 'sig' },
    { text: 'Hello there', signature: '' },
    { text: '{"path":"a.txt"}', signature: '' },
  ]);
});

test('a broken stream stops without a stop reason, and the next attempt is a message of its own', () => {
  const lines = project([
    added('e1'),
    ...deltas('e1', content.slice(0, 2), 4),
    discarded('e1'),
    added('e2'),
    ...deltas('e2', content, 3),
    completed('e2', content),
    answered('e2'),
  ]);
  const messages = accumulate(streamOf(lines));
  expect(messages.map((message) => message.stopReason)).toEqual([null, 'end_turn']);
  expect(messages[1]?.blocks.map((block) => block.text)).toEqual(content.map(textOf));
});

test('a text keeps its citations, whether it was streamed or not, and a block that is not shown takes no place', () => {
  const citation = { type: 'char_location', cited_text: 'x', document_index: 0 };
  const search = { type: 'opaque', provider: 'anthropic', raw: { type: 'server_tool_use' } } as const;
  const cited: ModelBlock[] = [
    search,
    { type: 'text', text: 'I look.', providerData: { other: [1] } },
    search,
    { type: 'text', text: 'It is so.', providerData: { citations: [citation, { id: 'of another API' }] } },
  ];
  const shown = cited.slice(0, 2);
  for (const streamed of [[], deltas('e1', shown.slice(1), 4).map((each) => ({ ...each, block: 1 }))]) {
    const lines = project([added('e1'), ...streamed, completed('e1', cited), answered('e1')]);
    expect(accumulate(streamOf(lines))[0]?.blocks.map(({ text }) => text)).toEqual(['I look.', 'It is so.']);
    expect(streamOf(lines)).toContainEqual({
      type: 'content_block_delta',
      index: 1,
      delta: { type: 'citations_delta', citation },
    });
    expect(lines.flatMap((line) => (line.type === 'assistant' ? line.message.content : []))).toEqual([
      { type: 'text', text: 'I look.' },
      { type: 'text', text: 'It is so.', citations: [citation] },
    ]);
  }
});

test('without partial messages nothing of it is shown', () => {
  const projection = createProjection({ sessionId });
  const lines = [added('e1'), ...deltas('e1', content, 2), completed('e1', content), answered('e1')].flatMap((event) =>
    projection.push(event),
  );
  const kinds = lines.map((line) => ('subtype' in line ? line.subtype : line.type));
  expect(kinds.filter((kind) => kind !== 'thinking_tokens')).toEqual(['assistant', 'assistant', 'assistant']);
});

test('whatever deltas come twice, texts add up', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9 }), fc.array(fc.boolean(), { maxLength: 60 }), (size, twice) => {
      const shown = deltas('e1', texts, size).flatMap((event, index) =>
        twice[index] === true ? [event, event] : [event],
      );
      expect(streamedTexts(shown)).toEqual(texts.map(textOf));
    }),
  );
});

test('a reader that lost the deltas before some delta inside a block gets the rest whole', () => {
  const all = deltas('e1', texts, 3);
  const insideBlock = all.flatMap((event, index) => ('offset' in event && event.offset > 0 ? [index] : []));
  fc.assert(
    fc.property(fc.constantFrom(...insideBlock), fc.nat({ max: 20 }), (next, seen) => {
      const shown = [...all.slice(0, Math.min(seen, next)), ...all.slice(next)];
      expect(streamedTexts(shown)).toEqual(texts.map(textOf));
    }),
  );
});

test('a snapshot for a late reader counts as what was shown', () => {
  const [text] = texts;
  if (text === undefined) throw new Error('no text');
  const snapshot = delta('e1', 0, text, 0, textOf(text).slice(0, 9));
  expect(streamedTexts([snapshot, ...deltas('e1', texts, 4).slice(2)])).toEqual(texts.map(textOf));
});

const texts: ModelBlock[] = [
  { type: 'text', text: 'The quick brown fox' },
  { type: 'reasoning', text: 'jumps over the lazy dog' },
];

function streamedTexts(shown: readonly TransientEvent[]): string[] | undefined {
  const [message] = accumulate(streamOf(project([added('e1'), ...shown, completed('e1', texts), answered('e1')])));
  return message?.blocks.map((block) => block.text);
}
