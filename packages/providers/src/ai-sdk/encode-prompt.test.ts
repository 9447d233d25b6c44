import type { ContentBlock, ModelBlock } from '@rondo/protocol';
import type { ModelMessage } from '@rondo/runtime';
import { describe, expect, test } from 'vitest';
import { createPromptEncoder } from './encode-prompt.ts';
import type { PromptStyle } from './prompt-style.ts';
import { promptV2, promptV3 } from './older-prompt.ts';

const png = 'data:image/png;base64,iVBORw0KGgo=';
const style: PromptStyle = { model: 'acme/m', takes: (type) => type === 'image/png', resultFiles: 'inline' };

function encode(messages: readonly ModelMessage[], more: Partial<PromptStyle> = {}, system = '') {
  return createPromptEncoder({ ...style, ...more })({ system, messages, tools: [] });
}

const user = (...content: Extract<ModelMessage, { role: 'user' }>['content']): ModelMessage => ({
  role: 'user',
  content,
});
const said = (content: readonly ModelBlock[], model = 'acme/m'): ModelMessage => ({
  role: 'assistant',
  content,
  model,
});
const result = (toolCallId: string, isError: boolean, ...content: readonly ContentBlock[]) =>
  ({ type: 'tool_result', toolCallId, isError, content }) as const;

describe('what the user says', () => {
  test('every kind of content: files that it takes, words for the rest', () => {
    const [message] = encode([
      user(
        { type: 'text', text: 'See 世界\u2028' },
        { type: 'text', text: ' \n' },
        { type: 'image', uri: png, mediaType: 'image/png' },
        { type: 'image', uri: 'data:image/gif;base64,R0lG', mediaType: 'image/gif', altText: 'a cat' },
        { type: 'audio', uri: 'data:audio/wav;base64,UklG', mediaType: 'audio/wav' },
        { type: 'resource_link', uri: 'file:///a.txt', name: 'a' },
        { type: 'embedded_resource', uri: 'file:///b.md', text: '# B' },
        { type: 'embedded_resource', uri: 'file:///dir/c.png', mediaType: 'image/png', blob: 'iVBORw0KGgo=' },
        { type: 'embedded_resource', uri: 'file:///d.zip', mediaType: 'application/zip', blob: 'UEsD' },
        { type: 'unknown', originalType: 'hologram', raw: {} },
      ),
    ]);
    expect(message?.content).toEqual([
      { type: 'text', text: 'See 世界\u2028' },
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'iVBORw0KGgo=' } },
      { type: 'text', text: '[image (image/gif): a cat]' },
      { type: 'text', text: '[audio (audio/wav): data:audio/wav;base64,…]' },
      { type: 'text', text: '[resource a at file:///a.txt]' },
      { type: 'text', text: '[resource: file:///b.md]\n# B' },
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'iVBORw0KGgo=' }, filename: 'c.png' },
      { type: 'text', text: '[resource (application/zip): file:///d.zip]' },
      { type: 'text', text: '[content of the kind hologram, which cannot be shown here]' },
    ]);
  });

  test('a message never vanishes, a system prompt of blanks does', () => {
    expect(encode([user({ type: 'text', text: ' ' })], {}, ' \n')).toEqual([
      { role: 'user', content: [{ type: 'text', text: '(no content)' }] },
    ]);
    expect(encode([user({ type: 'text', text: 'a' })], {}, 'You greet.')[0]).toEqual({
      role: 'system',
      content: 'You greet.',
    });
  });
});

describe('what the model said', () => {
  const data = { acme: { signature: 'c2ln', z: [1, null] } };
  const blocks: readonly ModelBlock[] = [
    { type: 'reasoning', text: 'Hm.', providerData: data },
    { type: 'reasoning', text: 'of another wire', signature: 'x' },
    { type: 'text', text: 'So.', providerData: data },
    { type: 'image', uri: png, altText: 'a dot' },
    { type: 'tool_call', toolCallId: 'c1', name: 'Read', input: { path: 'a' }, providerData: data },
    { type: 'tool_call', toolCallId: 'c2', name: 'List', input: 'no object' },
  ];

  test('goes back with what its provider added, as it came', () => {
    const [message] = encode([said(blocks)]);
    expect(message?.content).toEqual([
      { type: 'reasoning', text: 'Hm.', providerOptions: data },
      { type: 'text', text: 'So.', providerOptions: data },
      { type: 'text', text: '[image: a dot]' },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'Read', input: { path: 'a' }, providerOptions: data },
      { type: 'tool-call', toolCallId: 'c2', toolName: 'List', input: {} },
    ]);
    expect(JSON.stringify(message)).toContain(JSON.stringify(data));
  });

  test('what only its provider understands goes back to the model that wrote it, and to no other', () => {
    const opaque = (raw: Extract<ModelBlock, { type: 'opaque' }>['raw']): ModelBlock => ({
      type: 'opaque',
      provider: 'acme',
      raw,
    });
    const own: readonly ModelBlock[] = [
      opaque({
        type: 'tool-call',
        toolCallId: 's',
        toolName: 'search',
        input: '{"q":1}',
        providerExecuted: true,
        providerMetadata: data,
      }),
      opaque({ type: 'tool-result', toolCallId: 's', toolName: 'search', result: { n: 1 }, isError: true }),
      opaque({ type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'aGk=' }, providerMetadata: data }),
      opaque({ type: 'reasoning-file', mediaType: 'image/png', data: { type: 'url', url: 'https://a.example/b' } }),
      opaque({ type: 'text', text: '', providerMetadata: data }),
      opaque({ type: 'custom', kind: 'acme.compaction', providerMetadata: data }),
      opaque({ type: 'sources', sources: [] }),
    ];
    expect(encode([said(own)])[0]?.content).toEqual([
      {
        type: 'tool-call',
        toolCallId: 's',
        toolName: 'search',
        input: { q: 1 },
        providerExecuted: true,
        providerOptions: data,
      },
      { type: 'tool-result', toolCallId: 's', toolName: 'search', output: { type: 'error-json', value: { n: 1 } } },
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'aGk=' }, providerOptions: data },
      { type: 'reasoning-file', mediaType: 'image/png', data: { type: 'url', url: new URL('https://a.example/b') } },
      { type: 'text', text: '', providerOptions: data },
      { type: 'custom', kind: 'acme.compaction', providerOptions: data },
    ]);
    expect(encode([said(own, 'acme/other')])).toEqual([]);
  });
});

describe('results', () => {
  const calls = said([
    { type: 'tool_call', toolCallId: 'c1', name: 'Read', input: {} },
    { type: 'tool_call', toolCallId: 'c2', name: 'Photo', input: {} },
  ]);
  const image = { type: 'image', uri: png } as const;

  test('under the name of their call, a failure as such, files with them', () => {
    const [, results, words] = encode([
      calls,
      user(
        result('c1', true, { type: 'text', text: 'no such file' }),
        result('c2', false, { type: 'text', text: 'here' }, image),
        { type: 'text', text: 'Go on.' },
      ),
    ]);
    expect(results).toEqual({
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: 'c1',
          toolName: 'Read',
          output: { type: 'error-text', value: 'no such file' },
        },
        {
          type: 'tool-result',
          toolCallId: 'c2',
          toolName: 'Photo',
          output: {
            type: 'content',
            value: [
              { type: 'text', text: 'here' },
              { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'iVBORw0KGgo=' } },
            ],
          },
        },
      ],
    });
    expect(words).toEqual({ role: 'user', content: [{ type: 'text', text: 'Go on.' }] });
  });

  test('files in a message of their own, behind a word of the model’s where the API wants one', () => {
    const conversation = [calls, user(result('c1', false), result('c2', true, image))];
    const prompt = encode(conversation, { resultFiles: 'after', afterResults: 'Noted.', callId: (id) => `x${id}` });
    expect(prompt.map(({ role }) => role)).toEqual(['assistant', 'tool', 'assistant', 'user']);
    expect(prompt[0]?.content).toMatchObject([{ toolCallId: 'xc1' }, { toolCallId: 'xc2' }]);
    expect(prompt[1]?.content).toMatchObject([
      { toolCallId: 'xc1', output: { type: 'text', value: '(no output)' } },
      {
        toolCallId: 'xc2',
        output: { type: 'error-text', value: '[a file of the type image/png: see the next message]' },
      },
    ]);
    expect(prompt[3]?.content).toEqual([
      { type: 'text', text: 'What Photo returned:' },
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'iVBORw0KGgo=' } },
    ]);
  });
});

test('a message is encoded once in its life', () => {
  const encodePrompt = createPromptEncoder(style);
  const first = user({ type: 'text', text: 'a' });
  const second = said([{ type: 'text', text: 'b' }]);
  const [once] = encodePrompt({ system: '', tools: [], messages: [first] });
  const [again] = encodePrompt({ system: '', tools: [], messages: [first, second] });
  expect(again).toBe(once);
});

describe('older contracts', () => {
  const prompt = encode([
    said([
      { type: 'text', text: 'a' },
      { type: 'opaque', provider: 'acme', raw: { type: 'custom', kind: 'acme.x' } },
      { type: 'tool_call', toolCallId: 'c', name: 'Photo', input: { n: 1 } },
    ]),
    user(result('c', false, { type: 'text', text: 'here' }, { type: 'image', uri: png }), { type: 'image', uri: png }),
  ]);

  test.each([
    ['AI SDK 6', promptV3(prompt), { type: 'image-data', data: 'iVBORw0KGgo=', mediaType: 'image/png' }],
    ['AI SDK 5', promptV2(prompt), { type: 'media', data: 'iVBORw0KGgo=', mediaType: 'image/png' }],
  ])('%s has files and results in its own shape, and nothing that it does not know', (_name, older, media) => {
    expect(older).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'a' },
          { type: 'tool-call', toolCallId: 'c', toolName: 'Photo', input: { n: 1 } },
        ],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'c',
            toolName: 'Photo',
            output: { type: 'content', value: [{ type: 'text', text: 'here' }, media] },
          },
        ],
      },
      { role: 'user', content: [{ type: 'file', mediaType: 'image/png', data: 'iVBORw0KGgo=' }] },
    ]);
  });
});
