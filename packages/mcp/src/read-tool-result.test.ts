import { describe, expect, test } from 'vitest';
import { readToolResult } from './read-tool-result.ts';

describe('a result', () => {
  test('has every kind of block', () => {
    const { content } = readToolResult({
      content: [
        { type: 'text', text: 'hi' },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
        { type: 'resource_link', uri: 'file:///x', name: 'x' },
        { type: 'resource', resource: { uri: 'file:///y', text: 'y' } },
        { type: 'newer', more: 1 },
      ],
    });
    expect(content).toMatchObject([
      { type: 'text', text: 'hi' },
      { type: 'image', uri: 'data:image/png;base64,AAAA' },
      { type: 'audio', uri: 'data:audio/wav;base64,AAAA' },
      { type: 'resource_link', uri: 'file:///x' },
      { type: 'embedded_resource', uri: 'file:///y', text: 'y' },
      { type: 'unknown', originalType: 'newer' },
    ]);
  });

  test('with structured content shows that in place of its texts, and keeps pictures', () => {
    const given = {
      content: [
        { type: 'text', text: '{"sum": 3}' },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      ],
      structuredContent: { sum: 3 },
    };
    expect(readToolResult(given)).toMatchObject({
      structured: { sum: 3 },
      content: [{ type: 'text', text: '{"sum":3}' }, { type: 'image' }],
    });
    expect(readToolResult({ structuredContent: { sum: 3 } })).toMatchObject({ content: [{ text: '{"sum":3}' }] });
  });

  test('that failed says so', () => {
    expect(readToolResult({ content: [], isError: true }).isError).toBe(true);
    expect(readToolResult({ content: [], isError: false }).isError).toBeUndefined();
  });
});

describe('what is no result', () => {
  const loop: Record<string, unknown> = { content: [] };
  loop['self'] = loop;
  test.each([
    [undefined, /gave nothing/],
    [null, /gave null/],
    ['text', /gave a string/],
    [[], /gave a list/],
    [{}, /content is nothing/],
    [{ content: 'text' }, /content is a string/],
    [{ content: [3] }, /content\[0\] is a number/],
    [{ content: [{}] }, /content\[0\] is an object/],
    [{ content: [{ type: 'text' }] }, /content\[0\], of type text, has nothing as its text/],
    [{ content: [{ type: 'image', data: 'x' }] }, /has nothing as its mimeType/],
    [{ content: [{ type: 'image', data: new Uint8Array(2), mimeType: 'image/png' }] }, /has an object as its data/],
    [{ content: [{ type: 'resource', resource: { uri: 'x' } }] }, /nothing as its resource\.text/],
    [{ content: [{ type: 'resource' }] }, /nothing as its resource\.uri/],
    [{ content: [{ type: 'resource_link' }] }, /nothing as its uri/],
    [{ content: [], structuredContent: [] }, /structuredContent is a list/],
    [loop, /is no JSON/],
    [{ content: [], more: 1n }, /is no JSON/],
  ])('case %# is refused with what stands where', (given, problem) => {
    expect(() => readToolResult(given)).toThrow(problem);
  });
});
