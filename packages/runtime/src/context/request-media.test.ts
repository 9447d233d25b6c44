import type { ContentBlock, ImageContentBlock } from '@rondo/protocol';
import { imageBlockFromBytes, type ImageMediaType } from '@rondo/protocol/values';
import { describe, expect, test } from 'vitest';
import type { ConversationItem } from '../event/conversation.ts';
import type { ModelInput, ModelMessage } from '../model/model.ts';
import { callBlock, messageItem, replyItem, resultItem, textBlock } from '../testing/conversation.ts';
import { picture, pictureBytes } from '../testing/picture.ts';
import { checkConversation, describeProblems } from './check-conversation.ts';
import { createContextBuilder } from './context-builder.ts';

const model = 'test/one';
const noBlobs = { readBlob: () => Promise.reject(new Error('there is no blob')) };

/** Figures like those of a strict vendor. */
const strict: ModelInput = {
  documents: ['application/pdf'],
  maxImages: 100,
  maxImageCharacters: 5 * 1024 * 1024,
  maxImageEdge: 8000,
  manyImages: { above: 20, maxImageEdge: 2000 },
  maxDocumentCharacters: 2_000_000,
  maxDocumentPages: 600,
  maxRequestCharacters: 32_000_000,
};

async function build(items: readonly ConversationItem[], input: ModelInput = strict) {
  const built = await createContextBuilder(noBlobs).build(items, { model, input });
  expect(describeProblems(checkConversation(built.messages, { model, input }))).toBe('');
  return built;
}

async function sent(block: ContentBlock, input: ModelInput = strict): Promise<ContentBlock | undefined> {
  const { messages, notices } = await build([messageItem('m', textBlock('look'), block)], input);
  const found = messages[0]?.content[1] as ContentBlock | undefined;
  expect(notices).toHaveLength(found?.type === 'text' ? 1 : 0);
  return found;
}

const shown = async (block: ContentBlock, input?: ModelInput): Promise<string> => {
  const found = await sent(block, input);
  return found?.type === 'text' ? found.text : `as it is: ${found?.type}`;
};

const imagesOf = (messages: readonly ModelMessage[]): ImageContentBlock[] =>
  messages
    .flatMap((message) => (message.role === 'user' ? message.content : []))
    .flatMap((block) => (block.type === 'tool_result' ? block.content : [block]))
    .filter((block) => block.type === 'image');

const pdf = (pages: number, more = ''): ContentBlock => ({
  type: 'embedded_resource',
  uri: 'file:///report.pdf',
  mediaType: 'application/pdf',
  blob: Buffer.from(`%PDF-1.4\n2 0 obj <</Type /Pages /Count ${pages}>> endobj ${more}`).toString('base64'),
});

describe('pain 13: an image that a provider would refuse', () => {
  test.each<[string, ContentBlock, RegExp]>([
    [
      'of 9000 pixels',
      picture({ width: 9000 }),
      /^\[image \(image\/png, \d+ bytes\) left out: it has 9000 x 3 pixels, the limit is 8000 on a side\]$/,
    ],
    [
      'of 6 MB',
      picture({ mediaType: 'image/jpeg', bytes: 6_000_000 }),
      /it has 7999956 base64 characters, the limit is 5242880/,
    ],
    [
      'that is HTML',
      { type: 'image', uri: `data:image/png;base64,${btoa('<html><body>404</body></html>')}` },
      /its data is no PNG/,
    ],
    ['whose header is cut off', imageBlockFromBytes(pictureBytes().subarray(0, 20)), /its header is damaged/],
    [
      'whose data is cut off',
      imageBlockFromBytes(pictureBytes({ bytes: 5000 }).subarray(0, 3000)),
      /its data is cut off/,
    ],
    ['of no pixels', picture({ width: 0 }), /its header is damaged/],
    ['of 2^31 pixels', picture({ width: 2 ** 31, height: 2 ** 31 }), /it has 2147483648 x 2147483648 pixels/],
    [
      'at an address',
      { type: 'image', uri: 'https://example.com/cat.png', altText: 'a cat' },
      /not inline base64 data; described as: a cat; at https:\/\/example.com\/cat.png\]$/,
    ],
    ['with an empty URI', { type: 'image', uri: 'data:image/png;base64,' }, /its data is not base64/],
  ])('%s becomes a text that says so', async (_, block, expected) => {
    expect(await shown(block)).toMatch(expected);
  });

  const types: ImageMediaType[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
  test.each(types)('of the type %s has the same limits as any other', async (mediaType) => {
    const fine = picture({ mediaType, width: 8000, height: 7999, bytes: 200_000 });
    expect(await sent(fine)).toBe(fine);
    expect(await shown(picture({ mediaType, width: 30, height: 8001, bytes: 200_000 }))).toContain('30 x 8001 pixels');
    expect(await shown(picture({ mediaType }), { images: types.filter((type) => type !== mediaType) })).toContain(
      `this model takes no ${mediaType}, of images only`,
    );
    expect(await shown(picture({ mediaType }), { images: [] })).toContain('this model takes no images');
  });

  test('that moves is left out where only still ones are taken', async () => {
    for (const mediaType of ['image/png', 'image/gif', 'image/webp'] as const) {
      const moving = picture({ mediaType, animated: true });
      expect(await sent(moving)).toBe(moving);
      expect(await shown(moving, { animatedImages: false })).toContain('it is animated');
      expect(await sent(picture({ mediaType }), { animatedImages: false })).toMatchObject({ type: 'image' });
    }
  });

  test('of a kind that this version cannot read goes to a model that takes it, if it is a media file', async () => {
    const heic = (bytes: string): ContentBlock => ({
      type: 'image',
      uri: `data:image/heic;base64,${btoa(bytes)}`,
      mediaType: 'image/heic',
    });
    const input = { images: ['image/png', 'image/heic'] };
    expect(await sent(heic('\0\0\0\x18ftypheic....'), input)).toMatchObject({ type: 'image', mediaType: 'image/heic' });
    expect(await shown(heic('<html>'), input)).toContain('no PNG');
    expect(await shown(heic('\0\0\0\x18ftypheic....'))).toContain('no PNG');
  });

  test('in a resource is an image like any other', async () => {
    const resource = (options: object): ContentBlock => ({
      type: 'embedded_resource',
      uri: 'file:///cat.png',
      mediaType: 'image/png; q=1',
      blob: pictureBytes(options).toString('base64'),
    });
    expect(await sent(resource({}))).toMatchObject({ type: 'image', mediaType: 'image/png' });
    expect(await shown(resource({ width: 9000 }))).toMatch(/9000 x 3 pixels.*file:\/\/\/cat.png/);
  });
});

describe('pain 13: many images', () => {
  const step = (index: number, block: ContentBlock): ConversationItem[] => [
    replyItem(`a${index}`, [callBlock(`c${index}`)]),
    resultItem(`a${index}`, 0, `c${index}`, [block]),
  ];

  test('25 of 2100 pixels in one message: the oldest go until the others may be as large as they are', async () => {
    const images = Array.from({ length: 25 }, () => picture({ width: 2100 }));
    const { messages, notices } = await build([messageItem('m', ...images)]);
    expect(imagesOf(messages)).toEqual(images.slice(5));
    expect(messages[0]?.content[0]).toMatchObject({
      text: expect.stringContaining(
        'it has 2100 pixels on a side, the limit is 2000 in a request with more than 20 images',
      ),
    });
    expect(notices.map(({ block }) => block)).toEqual([0, 1, 2, 3, 4]);
  });

  test('one after the other: what is sent changes rarely, and the newest is always seen', async () => {
    const items: ConversationItem[] = [messageItem('m', textBlock('go'))];
    const builder = createContextBuilder(noBlobs);
    let before: readonly ModelMessage[] = [];
    let changes = 0;
    for (let index = 0; index < 60; index += 1) {
      const image = picture({ width: 2100 });
      items.push(...step(index, image));
      const { messages } = await builder.build(items, { model, input: strict });
      expect(describeProblems(checkConversation(messages, { model, input: strict }))).toBe('');
      expect(imagesOf(messages).at(-1)).toBe(image);
      if (before.some((message, at) => JSON.stringify(message) !== JSON.stringify(messages[at]))) changes += 1;
      before = messages;
    }
    expect(changes).toBe(8);
  });

  test('a large one that comes when there are many small ones goes alone', async () => {
    const small = Array.from({ length: 30 }, (_, index) => step(index, picture())).flat();
    const { messages } = await build([
      messageItem('m', textBlock('go')),
      ...small,
      ...step(99, picture({ width: 2001 })),
    ]);
    expect(imagesOf(messages)).toHaveLength(30);
    expect(JSON.stringify(messages.at(-1))).toContain('it has 2001 pixels');
  });

  test('110 MB in total: the oldest go', async () => {
    const image = picture({ bytes: 3_300_000 });
    const images = Array.from({ length: 25 }, (_, index) => step(index, { ...image })).flat();
    const items = [messageItem('m', textBlock('go')), ...images];
    const { messages, notices } = await createContextBuilder(noBlobs).build(items, { model, input: strict });
    const kept = imagesOf(messages);
    expect(kept.length * image.uri.length).toBeLessThan(32_000_000);
    expect(kept.length * image.uri.length).toBeGreaterThan(20_000_000);
    expect(notices.map(({ reason }) => reason)).toEqual(
      Array(25 - kept.length).fill('the conversation grew too large to send it again'),
    );
    expect(imagesOf(messages.slice(-1))).toHaveLength(1);
  });

  test('the very same image twice: one may go without the other', async () => {
    const image = picture();
    const { messages } = await build([messageItem('m', image, image, image)], { maxImages: 2 });
    expect(imagesOf(messages)).toEqual([image, image]);
  });
});

describe('a document', () => {
  test.each<[string, ContentBlock, string]>([
    [
      'of 700 pages',
      pdf(700),
      '[document (application/pdf, 52 bytes) left out: it has 700 pages, the limit is 600; at file:///report.pdf]',
    ],
    ['that is too large', pdf(1, ' '.repeat(2_000_000)), 'base64 characters, the limit is 2000000'],
    ['that is encrypted', pdf(1, 'trailer <</Encrypt 4 0 R>>'), 'it is encrypted'],
    [
      'that is none',
      { type: 'embedded_resource', uri: 'a.pdf', mediaType: 'application/pdf', blob: btoa('<html>') },
      'its data is no PDF',
    ],
    [
      'that is not base64',
      { type: 'embedded_resource', uri: 'a.pdf', mediaType: 'application/pdf', blob: '%PDF' },
      'its data is not base64',
    ],
    [
      'of a kind that the model does not take',
      { type: 'embedded_resource', uri: 'a.docx', mediaType: 'application/msword', blob: 'AAAA' },
      'this model takes no application/msword, of documents only application/pdf',
    ],
    [
      'of no kind',
      { type: 'embedded_resource', uri: 'a', blob: 'AAAA' },
      'this model takes no documents of an unknown type',
    ],
  ])('%s becomes a text that says so', async (_, block, expected) => {
    expect(await shown(block)).toContain(expected);
  });

  test('goes to a model that takes it, and not to one that does not', async () => {
    const document = pdf(600);
    expect(await sent(document)).toBe(document);
    expect(await shown(document, {})).toContain('this model takes no documents');
    expect(await sent({ ...document, mediaType: 'Application/PDF; version=1.4' } as ContentBlock)).toMatchObject({
      mediaType: 'application/pdf',
    });
  });

  test('that is a text is sent as that', async () => {
    const json = Buffer.from('{"größe": 1}').toString('base64');
    const resource: ContentBlock = {
      type: 'embedded_resource',
      uri: 'a.json',
      mediaType: 'application/json',
      blob: json,
    };
    expect(await sent(resource)).toEqual({
      type: 'embedded_resource',
      uri: 'a.json',
      mediaType: 'application/json',
      text: '{"größe": 1}',
    });
    expect(await shown({ ...resource, blob: '/w==' })).toContain('this model takes no application/json');
  });

  test('goes, the oldest first, when all have too many pages together', async () => {
    const documents = Array.from({ length: 5 }, () => pdf(200));
    const { messages } = await build([messageItem('m', ...documents)]);
    expect(messages[0]?.content.slice(2)).toEqual(documents.slice(2));
    expect(messages[0]?.content[0]).toMatchObject({ text: expect.stringContaining('at most 600 pages') });
  });
});

describe('audio', () => {
  const audio: ContentBlock = { type: 'audio', uri: 'data:audio/wav;base64,UklGRg==', mediaType: 'audio/wav' };

  test('becomes a text for a model that takes none, or another kind', async () => {
    expect(await shown(audio)).toBe('[audio (audio/wav, 4 bytes) left out: this model takes no audio]');
    expect(await shown(audio, { audio: ['audio/mp3'] })).toContain(
      'this model takes no audio/wav, of audio only audio/mp3',
    );
    expect(await sent(audio, { audio: ['audio/wav'] })).toBe(audio);
  });

  test('that is not inline, or no base64, is left out', async () => {
    const input = { audio: ['audio/wav'] };
    expect(await shown({ ...audio, uri: 'https://example.com/a.wav' }, input)).toContain(
      'it is not inline base64 data',
    );
    expect(await shown({ ...audio, uri: 'data:audio/wav;base64,!' }, input)).toContain('its data is not base64');
  });
});
