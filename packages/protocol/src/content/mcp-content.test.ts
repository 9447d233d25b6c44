import { describe, expect, test } from 'vitest';
import { ContentBlock } from './content-block.ts';
import { fromMcpContent, toMcpContent } from './mcp-content.ts';

const annotations = { audience: ['user'], priority: 0.5, lastModified: '2026-01-02T03:04:05Z' };
const meta = { trace: { id: 7, tags: [null, 'x'] } };

const pairs = [
  [
    { type: 'text', text: 'hi' },
    { type: 'text', text: 'hi' },
  ],
  [
    { type: 'image', uri: 'data:image/png;base64,AAAA', mediaType: 'image/png' },
    { type: 'image', data: 'AAAA', mimeType: 'image/png' },
  ],
  [
    { type: 'audio', uri: 'data:audio/wav;base64,AAAA', mediaType: 'audio/wav' },
    { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
  ],
  [
    {
      type: 'resource_link',
      uri: 'file:///a',
      name: 'a',
      title: 'A',
      description: 'd',
      mediaType: 'text/plain',
      size: 3,
    },
    {
      type: 'resource_link',
      uri: 'file:///a',
      name: 'a',
      title: 'A',
      description: 'd',
      mimeType: 'text/plain',
      size: 3,
    },
  ],
  [
    { type: 'embedded_resource', uri: 'file:///a', mediaType: 'text/plain', text: 'abc' },
    { type: 'resource', resource: { uri: 'file:///a', mimeType: 'text/plain', text: 'abc' } },
  ],
  [
    { type: 'embedded_resource', uri: 'file:///a', blob: 'YWJj' },
    { type: 'resource', resource: { uri: 'file:///a', blob: 'YWJj' } },
  ],
] as const;

describe('a block on an MCP wire', () => {
  test.each(pairs)('%j is %j, both ways, with its annotations and meta', (block, content) => {
    const read = ContentBlock.parse({ ...block, annotations, meta });
    expect(toMcpContent(read)).toEqual({ ...content, annotations, _meta: meta });
    expect(fromMcpContent(JSON.parse(JSON.stringify(toMcpContent(read))))).toEqual(read);
    expect(toMcpContent(ContentBlock.parse(block))).toEqual(content);
  });

  test('content.text.metaForClient: a client reads it back unchanged, and it stands as _meta there', () => {
    const sent = { type: 'text', text: 'hi', meta };
    const read = ContentBlock.parse(JSON.parse(JSON.stringify(sent)));
    expect(read).toEqual(sent);
    expect(toMcpContent(read)).toEqual({ type: 'text', text: 'hi', _meta: meta });
    expect(fromMcpContent({ type: 'text', text: 'hi', _meta: meta })).toEqual(sent);
  });

  test('what is not in the block itself goes as a link', () => {
    const image = ContentBlock.parse({
      type: 'image',
      uri: 'https://example.test/a.png',
      mediaType: 'image/png',
      meta,
    });
    expect(toMcpContent(image)).toEqual({
      type: 'resource_link',
      uri: 'https://example.test/a.png',
      name: 'https://example.test/a.png',
      mimeType: 'image/png',
      _meta: meta,
    });
    expect(toMcpContent(ContentBlock.parse({ type: 'resource_link', uri: 'a:b' }))).toMatchObject({ name: 'a:b' });
  });

  test('a media type that only the URI says is told, and none is told as bytes', () => {
    const image = (uri: string) => toMcpContent(ContentBlock.parse({ type: 'image', uri }));
    expect(image('data:image/gif;base64,AA==')).toMatchObject({ mimeType: 'image/gif' });
    expect(image('data:;base64,AA==')).toMatchObject({ mimeType: 'application/octet-stream' });
  });

  test('a newer kind is kept whole, and has no form on the way out', () => {
    const hologram = { type: 'hologram', depth: 3, _meta: { a: 1 } };
    const block = fromMcpContent(hologram);
    expect(block).toEqual({ type: 'unknown', originalType: 'hologram', raw: hologram });
    expect(toMcpContent(block)).toBeUndefined();
  });
});
