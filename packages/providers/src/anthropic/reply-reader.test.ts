import type { ModelPart } from '@rondo/runtime';
import { RondoError } from '@rondo/protocol/values';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createEventStreamDecoder } from '../http/event-stream-decoder.ts';
import { createReplyReader } from './reply-reader.ts';

/** The parts of a reply that comes in pieces cut at the given places, with and without the way around the parser. */
function read(stream: Buffer, cuts: readonly number[], ahead: boolean): { parts: ModelPart[]; position: string } {
  const parts: ModelPart[] = [];
  const failure = (reason: string): RondoError => new RondoError('model.stream_broken', reason);
  const reader = createReplyReader({
    emit: (part) => parts.push(part),
    broken: failure,
    failed: ({ message }) => failure(message),
  });
  const decoder = createEventStreamDecoder(reader.read, ahead ? reader.readAhead : undefined);
  const places = [0, ...cuts, stream.length];
  for (const [index, start] of places.slice(0, -1).entries()) decoder.write(stream.subarray(start, places[index + 1]));
  return { parts, position: reader.position() };
}

/** Adjacent deltas as one: where a text was cut says nothing. */
function joined(parts: readonly ModelPart[]): ModelPart[] {
  const whole: ModelPart[] = [];
  for (const part of parts) {
    const last = whole.at(-1);
    if (part.type === 'delta' && last?.type === 'delta' && last.index === part.index)
      whole[whole.length - 1] = { ...last, text: last.text + part.text };
    else whole.push(part);
  }
  return whole;
}

function streamOf(blocks: readonly (readonly string[])[], end: string): Buffer {
  const events: { type: string; [field: string]: unknown }[] = [
    { type: 'message_start', message: { id: 'msg', model: 'm', usage: { input_tokens: 1, output_tokens: 1 } } },
  ];
  blocks.forEach((texts, index) => {
    events.push({ type: 'content_block_start', index, content_block: { type: 'text', text: '' } });
    for (const text of texts)
      events.push({ type: 'content_block_delta', index, delta: { type: 'text_delta', text } }, { type: 'ping' });
    for (const text of texts) events.push({ type: 'content_block_delta', index, delta: { type: 'text_delta', text } });
    events.push({ type: 'content_block_stop', index });
  });
  events.push({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } });
  events.push({ type: 'message_stop' });
  return Buffer.from(
    events.map((event) => `event: ${event.type}${end}data: ${JSON.stringify(event)}${end}${end}`).join(''),
  );
}

test('the way around the parser reads what the parser reads, however the stream is cut', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('plain', '"', '\\', 'a\nb', '\ud83d', '\ude00'),
  );
  fc.assert(
    fc.property(
      fc.array(fc.array(text, { maxLength: 40 }), { maxLength: 3 }),
      fc.constantFrom('\n', '\n', '\r\n', '\r'),
      fc.array(fc.nat()),
      (blocks, end, cuts) => {
        const stream = streamOf(blocks, end);
        const places = [...new Set(cuts.map((cut) => cut % (stream.length + 1)))].sort((left, right) => left - right);
        const parsed = read(stream, places, false);
        const ahead = read(stream, places, true);
        expect(joined(ahead.parts)).toEqual(joined(parsed.parts));
        expect(ahead.position).toBe(parsed.position);
      },
    ),
    { numRuns: 300 },
  );
});

test('pieces that come one by one stay apart, and a flood of them is joined', () => {
  const stream = streamOf([Array.from({ length: 40 }, () => 'ab')], '\n');
  const deltas = (cuts: readonly number[]): number =>
    read(stream, cuts, true).parts.filter((part) => part.type === 'delta').length;
  const everywhere = Array.from({ length: stream.length - 1 }, (_, index) => index + 1);
  expect(deltas(everywhere)).toBe(80);
  expect(deltas([])).toBe(40 + 17);
});
