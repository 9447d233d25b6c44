import type { AnyEvent } from '@rondo/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createEventScript } from '../testing/event-script.ts';
import { isBrief } from './brief-line.ts';
import { decodeEvent } from './decode-event.ts';
import { createLogDecoder, logStart } from '../node/log-decoder.ts';
import { encodeBatch } from '../node/log-line.ts';

const sessionId = 'a0000000-0000-4000-8000-000000000000';
const call = { turnId: 't', callId: 'e#0', toolCallId: 'c', name: 'Read' };

function read(json: string, briefFrom?: number): AnyEvent {
  const decoder = createLogDecoder({ sessionId, from: logStart, decode: decodeEvent, briefFrom });
  const bytes = encodeBatch([json]);
  const before = bytes.slice();
  const event = decoder.push(bytes)[0]?.events[0];
  expect(bytes).toEqual(before);
  if (event === undefined) throw new Error('the line is no event');
  return event;
}

const withoutLong = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_key, member) =>
    typeof member === 'string' && Buffer.byteLength(JSON.stringify(member)) - 1 > 256 ? '' : member,
  );

test('a long result is read without its long texts, and with all else', () => {
  const texts = fc.array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 400 }),
      fc.string({ unit: fc.constantFrom('"', '\\', 'x', 'ß', '\n'), maxLength: 400 }),
    ),
    { minLength: 1, maxLength: 6 },
  );
  fc.assert(
    fc.property(texts, (given) => {
      const content = ['y'.repeat(5000), ...given].map((text) => ({
        type: 'text' as const,
        text: text.toWellFormed(),
      }));
      const structured = { [given[0] ?? '']: given };
      const { json } = createEventScript(sessionId).next({
        type: 'tool.completed',
        ...call,
        isError: false,
        outcome: 'success',
        content,
        structured,
      });
      const whole = read(json);
      const brief = read(json, 0);
      expect(isBrief(whole)).toBe(false);
      expect(isBrief(brief)).toBe(true);
      expect(brief).toMatchObject({ seq: 1, ...call, outcome: 'success' });
      if (brief.type !== 'tool.completed') throw new Error('no result');
      expect(brief.content).toEqual(withoutLong(content));
    }),
  );
});

test('what the session keeps of a result, short results and other events are read whole', () => {
  const long = 'z'.repeat(9000);
  const script = createEventScript(sessionId);
  const result = { type: 'tool.completed' as const, ...call, isError: false, outcome: 'success' as const };
  const content = [{ type: 'text' as const, text: long }];
  for (const { json, event } of [
    script.next({ ...result, content, remembered: { key: long } }),
    script.next({ ...result, content: [{ type: 'text', text: 'short' }] }),
    script.next({ type: 'notice', level: 'info', message: long }),
  ]) {
    const found = read(json, 0);
    expect(isBrief(found)).toBe(false);
    expect(found).toEqual(event);
  }
});
