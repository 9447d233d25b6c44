import type { BlobReference, ContentBlock, ModelBlock, SessionEvent } from '@rondo/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ConversationItem } from '../event/conversation.ts';
import { spillEvent } from '../event/spill-event.ts';
import type { ModelInput } from '../model/model.ts';
import { callBlock, messageItem, replyItem, resultItem, textBlock } from '../testing/conversation.ts';
import { picture } from '../testing/picture.ts';
import { sha256 } from '../testing/temporary-binding.ts';
import { checkConversation, describeProblems } from './check-conversation.ts';
import { createContextBuilder } from './context-builder.ts';

interface Asked {
  readonly model: string;
  readonly input?: ModelInput;
}

/** Small figures, so that short conversations reach them. */
const models: readonly Asked[] = [
  {
    model: 'test/one',
    input: {
      documents: ['application/pdf'],
      maxImages: 6,
      maxImageEdge: 8000,
      manyImages: { above: 3, maxImageEdge: 2000 },
      maxDocumentPages: 9,
      maxRequestCharacters: 90_000,
    },
  },
  { model: 'test/two', input: { images: ['image/png'], audio: ['audio/wav'], maxImages: 2 } },
  { model: 'other/three', input: { images: [], maxRequestCharacters: 60_000 } },
  { model: 'other/four' },
];

const pdf = (pages: number): ContentBlock => ({
  type: 'embedded_resource',
  uri: 'file:///a.pdf',
  mediaType: 'application/pdf',
  blob: Buffer.from(`%PDF-1.4 2 0 obj <</Type /Pages /Count ${pages}>> endobj${' '.repeat(3000)}`).toString('base64'),
});

const anyContent: fc.Arbitrary<ContentBlock> = fc.oneof(
  fc.constantFrom('short', 'x'.repeat(3000), `${'y'.repeat(25_000)}\ud800`, 'z'.repeat(30_000)).map(textBlock),
  fc
    .record({
      width: fc.constantFrom(0, 10, 2100, 9000),
      mediaType: fc.constantFrom('image/png', 'image/jpeg', 'image/gif'),
      bytes: fc.constantFrom(0, 4000, 30_000),
      animated: fc.boolean(),
    })
    .map(picture),
  fc.constant<ContentBlock>({ type: 'image', uri: `data:image/png;base64,${btoa('<html>'.repeat(800))}` }),
  fc.constantFrom(1, 4, 12).map(pdf),
  fc.constant<ContentBlock>({
    type: 'audio',
    uri: `data:audio/wav;base64,${btoa('RIFF'.repeat(900))}`,
    mediaType: 'audio/wav',
  }),
  fc.constant<ContentBlock>({ type: 'embedded_resource', uri: 'a.bin', blob: btoa('bin'.repeat(900)) }),
);

const anyReply: fc.Arbitrary<ModelBlock> = fc.oneof(
  fc.constantFrom('so', 'r'.repeat(4000)).map((text): ModelBlock => ({ type: 'text', text, providerData: { t: 1 } })),
  fc.constant<ModelBlock>({ type: 'reasoning', text: 'hm', signature: 's' }),
  fc.constant<ModelBlock>({ type: 'reasoning', text: '', providerData: { encrypted: 'e' } }),
  fc.constant<ModelBlock>({ type: 'opaque', provider: 'test', raw: { type: 'search', query: 'q' } }),
  fc
    .tuple(
      fc.constantFrom('call-1', '', 'c'),
      fc.constantFrom('Read', 'files.read', '天気'),
      fc.constantFrom('', 'i'.repeat(4000)),
    )
    .map(([id, name, path]) => callBlock(id, name, { path, half: '\ud800' })),
);

const anyConversation: fc.Arbitrary<ConversationItem[]> = fc
  .array(
    fc.oneof(
      fc.array(anyContent, { maxLength: 5 }).map((content) => ({ kind: 'message' as const, content })),
      fc
        .tuple(fc.array(anyReply, { maxLength: 4 }), fc.constantFrom(...models.map(({ model }) => model)))
        .map(([content, by]) => ({ kind: 'reply' as const, content, by })),
      fc.array(anyContent, { maxLength: 3 }).map((content) => ({ kind: 'result' as const, content })),
    ),
    { maxLength: 20 },
  )
  .map((pieces) => {
    const items: ConversationItem[] = [];
    let entryId = 'none';
    let open: [number, string][] = [];
    for (const [index, piece] of pieces.entries()) {
      if (piece.kind === 'message') items.push(messageItem(`m${index}`, ...piece.content));
      else if (piece.kind === 'reply') {
        entryId = `a${index}`;
        items.push(replyItem(entryId, piece.content, { model: piece.by }));
        open = piece.content.flatMap((block, at): [number, string][] =>
          block.type === 'tool_call' ? [[at, block.toolCallId]] : [],
        );
      } else {
        // The later call first: results come as they are done.
        const [block, id] = open.pop() ?? [0, 'nobody'];
        items.push(resultItem(entryId, block, id, piece.content));
      }
    }
    return items;
  });

/** The conversation as the next process reads it from the log: large pieces in blobs, everything else through JSON. */
async function stored(items: readonly ConversationItem[]) {
  const blobs = new Map<string, Uint8Array>();
  const write = (bytes: Uint8Array): Promise<BlobReference> => {
    const hash = `sha256-${sha256(Buffer.from(bytes).toString('latin1'))}`;
    blobs.set(hash, bytes);
    return Promise.resolve({ hash, bytes: bytes.length });
  };
  const spill = async <Event extends SessionEvent>(event: Event): Promise<Event> => {
    const spilled = await spillEvent({ event, json: JSON.stringify(event) }, write, 3000);
    return JSON.parse(spilled.json) as Event;
  };
  const placed = { seq: 1, id: 's:1', at: '', sessionId: 's', turnId: 't' };
  const conversation: ConversationItem[] = [];
  for (const item of items) {
    if (item.kind === 'result')
      conversation.push({
        ...item,
        result: await spill({ type: 'tool.completed', ...placed, name: 'tool', ...item.result }),
      });
    else {
      const { entry } = await spill({ type: 'entry.completed', ...placed, entry: item.entry });
      conversation.push({ kind: item.kind, entry } as ConversationItem);
    }
  }
  const readBlob = (hash: string): Promise<Uint8Array> => Promise.resolve(blobs.get(hash) ?? new Uint8Array());
  return { conversation, readBlob };
}

const noBlobs = { readBlob: () => Promise.reject(new Error('there is no blob')) };

test('what is built follows from the conversation and the model alone: live, resumed, and after other models', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyConversation,
      fc.array(fc.tuple(fc.nat(20), fc.nat(3)), { maxLength: 6 }),
      async (items, builds) => {
        const live = createContextBuilder(noBlobs);
        for (const [until, which] of builds.toSorted(([one], [other]) => one - other)) {
          const { messages } = await live.build(items.slice(0, until), models[which] as Asked);
          expect(describeProblems(checkConversation(messages, models[which]))).toBe('');
        }
        const { conversation, readBlob } = await stored(items);
        for (const asked of models) {
          const fresh = await createContextBuilder({ readBlob }).build(conversation, asked);
          expect(describeProblems(checkConversation(fresh.messages, asked))).toBe('');
          const { messages } = await live.build(items, asked);
          expect(messages).toEqual(fresh.messages);
        }
      },
    ),
    { numRuns: 150 },
  );
}, 60_000);

/** Images of the most troublesome kinds, one or two at a time. */
const manyImages: fc.Arbitrary<ConversationItem[]> = fc
  .array(fc.array(fc.constantFrom(10, 2100), { minLength: 1, maxLength: 3 }), { minLength: 4, maxLength: 16 })
  .map((widths) => widths.map((all, index) => messageItem(`m${index}`, ...all.map((width) => picture({ width })))));

test('a step adds to what was sent and changes nothing of it, unless something had to go', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(anyConversation, manyImages), fc.nat(3), async (items, which) => {
      const asked = models[which] as Asked;
      const builder = createContextBuilder(noBlobs);
      let before: readonly unknown[] = [];
      for (let until = 1; until <= items.length; until += 1) {
        const { messages, notices } = await builder.build(items.slice(0, until), asked);
        const gone = notices.some(({ reason }) => /grew too large|a request (takes|with)/.test(reason));
        const changed = before.slice(0, -1).some((message, index) => message !== messages[index]);
        expect(changed && !gone).toBe(false);
        before = messages;
      }
      if (items.length > 0) expect(before).toEqual((await createContextBuilder(noBlobs).build(items, asked)).messages);
    }),
    { numRuns: 150 },
  );
}, 60_000);
