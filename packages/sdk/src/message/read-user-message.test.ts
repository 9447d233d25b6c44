import type { SDKUserMessage } from '@rondo/protocol';
import { expect, test } from 'vitest';
import { readUserMessage } from './read-user-message.ts';
import { wireContent, wireResultContent } from './wire-content.ts';

const message = (content: unknown): SDKUserMessage =>
  ({ type: 'user', parent_tool_use_id: null, message: { role: 'user', content } }) as SDKUserMessage;

test('text, images and documents become what a turn takes, and read back as they were', () => {
  const content = [
    { type: 'text', text: 'look' },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
    { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
    { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'BBBB' } },
  ];
  const read = readUserMessage(message(content));
  expect(read[1]).toEqual({ type: 'image', uri: 'data:image/png;base64,AAAA', mediaType: 'image/png' });
  expect(read[3]).toMatchObject({ type: 'embedded_resource', mediaType: 'application/pdf', blob: 'BBBB' });
  expect(
    wireContent(read.map((block) => (block.type === 'text' ? { ...block, text: block.text ?? '' } : block))),
  ).toEqual(content);
});

test('a text is a text, on the way in and out', () => {
  expect(readUserMessage(message('hi'))).toEqual([{ type: 'text', text: 'hi' }]);
  expect(wireResultContent([{ type: 'text', text: 'hi' }])).toBe('hi');
  expect(wireResultContent([])).toBe('');
});

test.each([
  [
    [{ type: 'tool_result' }],
    'message.content[0]: a user message takes text, image and document blocks, not "tool_result"',
  ],
  [[{ type: 'text' }], 'message.content[0].text must be a text'],
  [[{ type: 'image', source: { type: 'file' } }], 'message.content[0].source.type must be base64 or url'],
  [7, 'message.content must be a text or a list'],
])('what cannot be sent is refused, naming the place: %j', (content, problem) => {
  expect(() => readUserMessage(message(content))).toThrow(problem);
});

test('what is no user message is refused', () => {
  expect(() => readUserMessage({ type: 'assistant' } as unknown as SDKUserMessage)).toThrow(
    /a prompt's message must be/,
  );
});

test('what the messages API has no block for is named in words', () => {
  expect(
    wireContent([
      { type: 'audio', uri: 'https://example.com/a.mp3' },
      { type: 'resource_link', uri: 'file:///a', name: 'a' },
      { type: 'unknown', originalType: 'hologram', raw: {} },
    ]),
  ).toEqual([
    { type: 'text', text: '[audio: https://example.com/a.mp3]' },
    { type: 'text', text: '[resource: a (file:///a)]' },
    { type: 'text', text: '[hologram]' },
  ]);
});
