import { AnyEvent, encodeBase64, type ContentBlock, type SessionEvent } from '@rondo/protocol';
import { describe, expect, test } from 'vitest';
import { createEventScript } from '../testing/event-script.ts';

import { blobHash } from './blob-hash.ts';
import type { EncodedEvent } from './event-store.ts';
import { hydrateEvent } from './hydrate-event.ts';
import { spillEvent } from './spill-event.ts';

const bound = 8 * 1024;
const script = createEventScript('c1d2e3f4-0000-4000-8000-000000000002');
const long = 'é👍\u2028'.repeat(4000);
const bytes = Uint8Array.from({ length: 9000 }, (_, index) => (index * 7) % 251);
const base64 = encodeBase64(bytes);

function memory() {
  const kept = new Map<string, Uint8Array>();
  return {
    kept,
    write: async (content: Uint8Array) => {
      const hash = await blobHash(content);
      kept.set(hash, content);
      return { hash, bytes: content.length };
    },
    read: async (hash: string) => kept.get(hash) ?? new Uint8Array(0),
  };
}

function result(content: ContentBlock[], more: object = {}): EncodedEvent {
  return script.next({
    type: 'tool.completed',
    turnId: 't',
    callId: 'c',
    toolCallId: 'tc',
    name: 'Read',
    isError: false,
    outcome: 'success',
    content,
    ...more,
  });
}

const large: Record<string, EncodedEvent> = {
  'a text': result([{ type: 'text', text: long }]),
  'an image': result([{ type: 'image', uri: `data:image/png;base64,${base64}`, mediaType: 'image/png' }]),
  'an image without a media type': result([{ type: 'image', uri: `data:image/png;base64,${base64}` }]),
  'an image whose base64 is not the usual one': result([
    { type: 'image', uri: `data:image/png;base64,${base64}\t`, mediaType: 'image/png' },
  ]),
  'a sound whose bytes look like a URI': result([
    {
      type: 'audio',
      uri: `data:audio/wav;base64,${encodeBase64(new TextEncoder().encode(`data:${'x'.repeat(9000)}`))}`,
      mediaType: 'audio/wav',
    },
  ]),
  'an embedded text': result([{ type: 'embedded_resource', uri: 'file:///a', text: long }]),
  'embedded bytes': result([{ type: 'embedded_resource', uri: 'file:///a', blob: base64 }]),
  'a structured output': result([{ type: 'text', text: 'short' }], {
    structured: { type: 'text', file: { content: long, lines: [1, 2, null] } },
  }),
  'a call’s arguments': script.next({
    type: 'entry.completed',
    turnId: 't',
    entry: {
      type: 'assistant',
      id: 'e',
      model: 'm/x',
      content: [
        { type: 'reasoning', text: 'short', signature: 'sig' },
        { type: 'tool_call', toolCallId: 'tc', name: 'Write', input: { file_path: '/a', content: `${long}\ud800` } },
      ],
    },
  }),
  'a result entry': script.next({
    type: 'entry.added',
    turnId: 't',
    entry: {
      type: 'tool_result',
      id: 'e',
      toolCallId: 'tc',
      result: { text: long },
      content: [{ type: 'text', text: long }],
    },
  }),
  'a queued message': script.next({
    type: 'message.queued',
    messageId: 'm',
    delivery: 'next',
    content: [{ type: 'text', text: long }],
  }),
};

describe('spilling', () => {
  for (const [what, encoded] of Object.entries(large)) {
    test(`moves ${what} out and brings it back as it was`, async () => {
      const blobs = memory();
      const spilled = await spillEvent(encoded, blobs.write, bound);
      expect(spilled.json.length).toBeLessThanOrEqual(bound);
      expect(JSON.parse(spilled.json)).toEqual(spilled.event);
      const read = AnyEvent.parse(JSON.parse(spilled.json)) as SessionEvent;
      expect(JSON.stringify(await hydrateEvent(read, blobs.read)).length).toBe(encoded.json.length);
      expect(await hydrateEvent(read, blobs.read)).toEqual(encoded.event);
    });
  }

  test('leaves an event that fits alone, at once', () => {
    const encoded = result([{ type: 'text', text: 'x'.repeat(100) }]);
    expect(spillEvent(encoded, () => Promise.reject(new Error('nothing is to be written')), bound)).toBe(encoded);
  });

  test('takes the largest pieces first, and no more than it must', async () => {
    const blobs = memory();
    const encoded = result([
      { type: 'text', text: 'a'.repeat(3000) },
      { type: 'text', text: 'b'.repeat(9000) },
    ]);
    const { event } = await spillEvent(encoded, blobs.write, bound);
    expect(event).toMatchObject({
      content: [{ text: 'a'.repeat(3000) }, { text: 'b'.repeat(1024), spilled: { bytes: 9000 } }],
    });
    expect(blobs.kept.size).toBe(1);
  });

  test('keeps a preview that ends with a whole character', async () => {
    const { event } = await spillEvent(
      result([{ type: 'text', text: `${'x'.repeat(1023)}${'👍'.repeat(5000)}` }]),
      memory().write,
      bound,
    );
    expect(event).toMatchObject({ content: [{ text: 'x'.repeat(1023) }] });
  });

  test('keeps in the line what would not come back as it was', async () => {
    const encoded = result([{ type: 'text', text: `${long}\ud800` }]);
    expect(await spillEvent(encoded, memory().write, bound)).toBe(encoded);
  });

  test('hands back the very event when nothing is spilled', async () => {
    const { event } = result([{ type: 'text', text: 'short' }]);
    expect(await hydrateEvent(event, () => Promise.reject(new Error('nothing is to be read')))).toBe(event);
  });
});
