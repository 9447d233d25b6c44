import { describe, expect, test } from 'vitest';
import { HistoryEntry } from '../entry/history-entry.ts';
import { ContentBlock } from './content-block.ts';

const image = { type: 'image', uri: 'data:image/png;base64,AAAA' };
const audio = { type: 'audio', uri: 'data:audio/wav;base64,AAAA' };
const link = { type: 'resource_link', uri: 'file:///a' };
const embedded = { type: 'embedded_resource', uri: 'file:///a', text: 'abc' };
const text = { type: 'text', text: 'hi' };
const notes = { audience: ['user'], priority: 0.5 };

/** What another process reads of the block. */
const reread = (block: unknown): unknown => ContentBlock.parse(JSON.parse(JSON.stringify(ContentBlock.parse(block))));
const isRefused = (block: unknown): boolean => !ContentBlock.safeParse(block).success;

describe('a field that may be absent', () => {
  test.each([
    ['content.text.annotations', text, { annotations: notes }],
    ['content.image.annotations', image, { annotations: notes }],
    ['content.image.mediaType', image, { mediaType: 'image/png' }],
    ['content.image.altText', image, { altText: 'a dot' }],
    ['content.audio.annotations', audio, { annotations: notes }],
    ['content.audio.mediaType', audio, { mediaType: 'audio/wav' }],
    ['content.resourceLink.annotations', link, { annotations: notes }],
    ['content.resourceLink.name', link, { name: 'a' }],
    ['content.resourceLink.title', link, { title: 'A' }],
    ['content.resourceLink.description', link, { description: 'the first' }],
    ['content.resourceLink.mediaType', link, { mediaType: 'text/plain' }],
    ['content.resourceLink.size', link, { size: 3 }],
    ['content.embedded.annotations', embedded, { annotations: notes }],
    ['content.embedded.mediaType', embedded, { mediaType: 'text/plain' }],
    ['content.annotations.priorityDefault', { ...text, annotations: {} }, { annotations: { priority: 1 } }],
    [
      'content.annotations.lastModified',
      { ...text, annotations: {} },
      { annotations: { lastModified: '2025-01-02T03:04:05Z' } },
    ],
  ])('%s: reads as absent, and reads back as given', (_row, bare, field) => {
    expect(reread(bare)).toStrictEqual(bare);
    expect(reread({ ...bare, ...field })).toStrictEqual({ ...bare, ...field });
  });

  test('content.resourceLink.size: no fraction of a byte', () => {
    expect(isRefused({ ...link, size: 1.5 })).toBe(true);
  });

  test('content.text.textDefault: no text is an empty one', () => {
    expect(ContentBlock.parse({ type: 'text' })).toStrictEqual({ type: 'text', text: '' });
  });
});

test.each([
  ['content.image.uriRequired', image],
  ['content.audio.uriRequired', audio],
  ['content.resourceLink.uriRequired', link],
  ['content.embedded.uriRequired', embedded],
])('%s: any kind of URI is taken, none is refused', (_row, block) => {
  const { uri, ...rest } = block;
  for (const taken of [uri, 'data:image/png;base64,AAAA', 'https://example.com/a']) {
    expect(reread({ ...rest, uri: taken })).toStrictEqual({ ...rest, uri: taken });
  }
  expect(isRefused(rest)).toBe(true);
  expect(isRefused({ ...rest, uri: 7 })).toBe(true);
});

test.each([
  ['content.text.type', text],
  ['content.image.type', image],
  ['content.audio.type', audio],
  ['content.resourceLink.type', link],
  ['content.embedded.type', embedded],
  ['content.unknown.type', { type: 'unknown', originalType: 'hologram', raw: { type: 'hologram' } }],
])('%s: it is read by its type and has no other', (_row, block) => {
  expect(reread(block)).toMatchObject({ type: block.type });
  const { type: _type, ...rest } = block;
  expect(isRefused(rest)).toBe(true);
});

describe('text', () => {
  test.each(['x', 7, [1], null, { deep: () => 1 }])('content.text.metaObjectOnly: %s is refused', (meta) => {
    expect(ContentBlock.parse({ ...text, meta: { trace: [1, null] } })).toMatchObject({ meta: { trace: [1, null] } });
    expect(isRefused({ ...text, meta })).toBe(true);
  });
});

describe('an embedded resource', () => {
  test('content.embedded.included, content.embedded.textXorBlob: its text or its data, one of them', () => {
    const { text: content, ...rest } = embedded;
    expect(reread(embedded)).toStrictEqual({ ...rest, text: content });
    expect(reread({ ...rest, blob: 'YWJj' })).toStrictEqual({ ...rest, blob: 'YWJj' });
    expect(isRefused({ ...embedded, blob: 'YWJj' })).toBe(true);
    expect(isRefused(rest)).toBe(true);
  });

  test('content.embedded.blobBase64: the bytes come back', () => {
    const bytes = String.fromCharCode(...Array.from({ length: 256 }, (_, index) => index));
    const block = ContentBlock.parse({ type: 'embedded_resource', uri: 'u', blob: btoa(bytes) });
    if (block.type !== 'embedded_resource' || block.blob === undefined) throw new Error(`it is ${block.type}`);
    expect(atob(block.blob)).toBe(bytes);
  });
});

describe('annotations', () => {
  const annotated = (annotations: unknown): unknown => ({ ...text, annotations });

  test('content.annotations.priorityRange: from 0 to 1, both included', () => {
    for (const priority of [0, 0.5, 1]) expect(reread(annotated({ priority }))).toEqual(annotated({ priority }));
    for (const priority of [-0.01, 1.01]) expect(isRefused(annotated({ priority }))).toBe(true);
  });

  test('content.annotations.audienceValues: a list, open to others', () => {
    for (const audience of [['user'], ['assistant'], ['user', 'assistant'], ['auditor']]) {
      expect(reread(annotated({ audience }))).toStrictEqual(annotated({ audience }));
    }
    expect(isRefused(annotated({ audience: 'user' }))).toBe(true);
  });
});

describe('a block of a newer kind', () => {
  const hologram = { type: 'hologram', depth_map: { rows: [1, null], scale: null }, at: 'here' };
  const read = (): ContentBlock[] => {
    const entry = HistoryEntry.parse({ type: 'message', id: 'e', role: 'user', content: [text, hologram, image] });
    if (entry.type !== 'message') throw new Error(`it is ${entry.type}`);
    return entry.content;
  };

  test('content.unknown.newerType, content.unknown.matchStillWorks: unknown, between known ones in order', () => {
    expect(read().map(({ type }) => type)).toEqual(['text', 'unknown', 'image']);
  });

  test('content.unknown.originalType, content.unknown.fieldsKept: with all that it came with', () => {
    expect(read()[1]).toStrictEqual({ type: 'unknown', originalType: 'hologram', raw: hologram });
  });

  test('content.unknown.originalTypeRequired: a block that is unknown says of which kind', () => {
    expect(isRefused({ type: 'unknown', raw: {} })).toBe(true);
    expect(isRefused({ type: 'unknown', originalType: 7, raw: {} })).toBe(true);
  });
});
