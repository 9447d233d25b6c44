import { isRondoError } from '@rondo/protocol/values';
import type { AnyEvent } from '@rondo/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createEventScript, sampleBinding } from '../testing/event-script.ts';
import { decodeEvent } from '../event/decode-event.ts';
import type { EncodedEvent } from '../event/event-store.ts';
import { createLogDecoder, logStart } from './log-decoder.ts';
import { encodeBatch, logHeader } from './log-line.ts';

const sessionId = 'c1d2e3f4-0000-4000-8000-000000000001';

interface WrittenLog {
  readonly bytes: Uint8Array;
  /** Each batch with the offset behind it. */
  readonly batches: readonly { readonly events: readonly AnyEvent[]; readonly end: number }[];
}

function writeLog(messages: readonly (readonly string[])[]): WrittenLog {
  const script = createEventScript(sessionId);
  let bytes: Uint8Array = new Uint8Array(0);
  const batches = messages.map((texts, index) => {
    const events: EncodedEvent[] =
      index === 0 ? [script.next({ type: 'session.created', binding: sampleBinding() })] : [];
    events.push(...texts.map((message) => script.next({ type: 'notice', level: 'info', message })));
    const lines = events.map(({ json }) => json);
    bytes = join(bytes, encodeBatch(index === 0 ? [logHeader(sessionId), ...lines] : lines));
    return { events: events.map(({ event }) => event), end: bytes.length };
  });
  return { bytes, batches };
}

function decode(bytes: Uint8Array, chunk = bytes.length): { events: AnyEvent[]; offset: number; damagedLines: number } {
  const decoder = createLogDecoder({ sessionId, from: logStart, decode: decodeEvent });
  const events: AnyEvent[] = [];
  let offset = 0;
  let damagedLines = 0;
  for (let start = 0; start < bytes.length; start += chunk) {
    for (const batch of decoder.push(bytes.subarray(start, start + chunk))) {
      events.push(...batch.events);
      offset = batch.position.offset;
      damagedLines += batch.damagedLines;
    }
  }
  return { events, offset, damagedLines };
}

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom('\u2028', '\ud800', '}\n{', ',"sum":"00000000"}', '漢'),
);
const anyLog = fc
  .array(fc.array(anyText, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 })
  .map((messages) => writeLog(messages));

/** Every event of the batches that end at or before the offset. */
function eventsUntil(log: WrittenLog, offset: number): AnyEvent[] {
  return log.batches.filter(({ end }) => end <= offset).flatMap(({ events }) => events);
}

describe('decoding a log', () => {
  test('gives back what was written, in pieces of any size', () => {
    fc.assert(
      fc.property(anyLog, fc.integer({ min: 1, max: 400 }), (log, chunk) => {
        expect(decode(log.bytes, chunk)).toEqual({
          events: eventsUntil(log, log.bytes.length),
          offset: log.bytes.length,
          damagedLines: 0,
        });
      }),
    );
  });

  test('of any prefix gives exactly its whole batches', () => {
    fc.assert(
      fc.property(anyLog, fc.nat(), (log, cut) => {
        const length = cut % (log.bytes.length + 1);
        const { events, damagedLines } = decode(log.bytes.subarray(0, length));
        expect(events).toEqual(eventsUntil(log, length));
        expect(damagedLines).toBe(0);
      }),
    );
  });

  test('of a prefix that goes on with zeros, or anything else, gives the same batches', () => {
    fc.assert(
      fc.property(
        anyLog,
        fc.nat(),
        fc.oneof(fc.constant(new Uint8Array(600)), fc.uint8Array({ maxLength: 40 })),
        (log, cut, tail) => {
          const length = cut % log.bytes.length;
          const { events } = decode(join(log.bytes.subarray(0, length), tail));
          const whole = eventsUntil(log, length);
          expect(events.slice(0, whole.length)).toEqual(whole);
          // By chance the tail may be the very bytes that were cut off.
          if (tail.every((byte) => byte === 0)) expect(events).toEqual(whole);
        },
      ),
    );
  });

  test('with one byte changed loses at most the line it is in, or the last batch, and counts it', () => {
    fc.assert(
      fc.property(anyLog, fc.nat(), fc.integer({ min: 1, max: 255 }), (log, place, change) => {
        const at = place % log.bytes.length;
        const bytes = log.bytes.slice();
        bytes[at] = (bytes[at] ?? 0) ^ change;
        const { events, offset, damagedLines } = decode(bytes);
        const hit = log.batches.findIndex(({ end }) => at < end);
        const others = log.batches.filter(
          (_batch, index) => index !== hit && (hit !== log.batches.length - 1 || index < hit),
        );
        for (const { events: kept } of others.slice(0, hit)) expect(events).toEqual(expect.arrayContaining([...kept]));
        const written = eventsUntil(log, log.bytes.length);
        for (const event of events) expect(written).toContainEqual(event);
        // A changed line feed joins two lines, a new one splits one: never more than two lines of a batch, or of two, are lost.
        if (hit < log.batches.length - 2) {
          expect(damagedLines).toBeGreaterThan(0);
          expect(events.length).toBeGreaterThanOrEqual(written.length - 2);
          expect(offset).toBe(log.bytes.length);
        }
      }),
    );
  });

  test('leaves garbage between lines out, counts it, and keeps everything whole', () => {
    const { bytes, batches } = writeLog([['one'], ['two', 'three'], ['four']]);
    const expected = batches.flatMap(({ events }) => events);
    for (const garbage of ['not json\n', '\n', '{"seq":9}\n', '\0\0\0\n', '{"type":"notice"}\r\n']) {
      for (const at of [batches[0]?.end ?? 0, batches[1]?.end ?? 0]) {
        const spoiled = join(bytes.subarray(0, at), new TextEncoder().encode(garbage), bytes.subarray(at));
        expect(decode(spoiled)).toEqual({ events: expected, offset: spoiled.length, damagedLines: 1 });
      }
    }
  });

  test('of a batch whose later sectors alone reached the disk gives nothing of it', () => {
    const { bytes, batches } = writeLog([['one'], ['two', 'three', 'four']]);
    const start = batches[0]?.end ?? 0;
    for (let zeros = 1; zeros < bytes.length - start; zeros += 1) {
      const torn = bytes.slice().fill(0, start, start + zeros);
      expect(decode(torn).events).toEqual(batches[0]?.events);
    }
  });

  test('takes a copied line once', () => {
    const { bytes, batches } = writeLog([['one'], ['two'], ['three']]);
    const second = bytes.subarray(batches[0]?.end, batches[1]?.end);
    const { events, damagedLines } = decode(join(bytes, second));
    expect(events).toEqual(batches.flatMap((batch) => batch.events));
    expect(damagedLines).toBe(0);
    const between = decode(join(bytes.subarray(0, batches[1]?.end), second, bytes.subarray(batches[1]?.end)));
    expect(between.events).toEqual(batches.flatMap((batch) => batch.events));
    expect(between.damagedLines).toBe(1);
  });

  test('keeps a known event with a value of a newer version as unknown', () => {
    const json = `{"seq":1,"id":"${sessionId}:1","at":"2026-01-01T00:00:00Z","sessionId":"${sessionId}","type":"notice","level":"shout","message":"x"}`;
    const { events } = decode(encodeBatch([logHeader(sessionId), json]));
    expect(events).toMatchObject([{ type: 'unknown', originalType: 'notice', seq: 1, raw: { level: 'shout' } }]);
  });

  test('leaves a line out that is above the bound, whatever its pieces', () => {
    const { bytes, batches } = writeLog([['one'], ['x'.repeat(5000)], ['three']]);
    for (const chunk of [1, 700, bytes.length]) {
      const decoder = createLogDecoder({ sessionId, from: logStart, decode: decodeEvent, maxLineBytes: 1000 });
      const found: AnyEvent[] = [];
      for (let start = 0; start < bytes.length; start += chunk) {
        for (const batch of decoder.push(bytes.subarray(start, start + chunk))) found.push(...batch.events);
      }
      expect(found).toEqual([...(batches[0]?.events ?? []), ...(batches[2]?.events ?? [])]);
    }
  });

  test('knows the header behind garbage', () => {
    const { bytes, batches } = writeLog([['one']]);
    expect(decode(join(new TextEncoder().encode('garbage\n'), bytes))).toEqual({
      events: batches[0]?.events,
      offset: bytes.length + 8,
      damagedLines: 1,
    });
  });

  test('refuses a log of a newer format, and another session’s', () => {
    const newer = encodeBatch([logHeader(sessionId).replace('"version":1', '"version":2')]);
    expect(() => decode(newer)).toThrow(expect.toSatisfy((error) => isRondoError(error, 'log.unsupported')));
    const other = encodeBatch([logHeader('another')]);
    expect(() => decode(other)).toThrow(expect.toSatisfy((error) => isRondoError(error, 'log.damaged')));
  });
});

function join(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}
