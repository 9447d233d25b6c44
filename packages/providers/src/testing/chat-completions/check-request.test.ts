import { describe, expect, test } from 'vitest';
import { createReasoningSigner } from '../reasoning-signature.ts';
import { checkRequest } from './check-request.ts';
import { flavours } from './flavour.ts';

const signer = createReasoningSigner();
const hello = { role: 'user', content: 'Hello' };

function check(over: object, kind = ''): string | undefined {
  const flavour = flavours[kind];
  if (flavour === undefined) throw new Error(`there is no flavour ${kind}`);
  return checkRequest({ model: 'm', stream: true, messages: [hello], ...over }, flavour, signer);
}

function calls(...ids: readonly string[]) {
  return ids.map((id) => ({ id, type: 'function', function: { name: 'Read', arguments: '{}' } }));
}

function called(over: object, ...ids: readonly string[]) {
  return { role: 'assistant', content: null, tool_calls: calls(...ids), ...over };
}

function result(id: string, content: unknown = 'ok') {
  return { role: 'tool', tool_call_id: id, content };
}

function loop(over: object, id = 'a') {
  return { messages: [hello, called(over, id), result(id)] };
}

function tool(parameters: object = { type: 'object' }, name = 'Read') {
  return { type: 'function', function: { name, description: 'Reads.', parameters } };
}

describe('good requests', () => {
  test.each<[string, object, string?]>([
    ['the least', {}],
    ['settings', { max_tokens: 1, stream_options: { include_usage: true }, reasoning_effort: 'low', temperature: 0 }],
    ['a system message', { messages: [{ role: 'system', content: 'Be brief.' }, hello] }],
    [
      'a picture',
      {
        messages: [
          { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }] },
        ],
      },
    ],
    ['calls answered in order', { messages: [hello, called({}, 'a', 'b'), result('a'), result('b'), hello] }],
    ['tools', { tools: [tool()], parallel_tool_calls: true, tool_choice: 'auto' }],
    ['reasoning for Ollama', loop({ reasoning: 'hm' }), 'ollama'],
    ['reasoning for DeepSeek', loop({ reasoning_content: '' }), 'deepseek'],
    [
      'signed details',
      loop({ reasoning_details: [{ type: 'reasoning.text', text: 'hm', signature: signer.sign('hm') }] }),
      'openrouter',
    ],
    ['IDs of a strict template', { model: 'mistral', ...loop({}, 'Ab3456789') }, 'vllm'],
  ])('%s', (_name, over, kind) => {
    expect(check(over, kind)).toBeUndefined();
  });
});

describe('bad requests say what and where', () => {
  test.each<[object, RegExp, string?]>([
    [{ model: '' }, /^model/],
    [{ stream: false }, /^stream/],
    [{ top_k: 1 }, /^top_k: there is no such field/],
    [{ reasoning: { effort: 'low' } }, /^reasoning: there is no such field/],
    [{ max_tokens: 0 }, /^max_tokens/],
    [{ max_tokens: 1, max_completion_tokens: 1 }, /cannot stand beside/],
    [{ parallel_tool_calls: true }, /only allowed when tools/],
    [{ tools: [] }, /^tools: must not be empty/],
    [{ tools: [tool({ type: 'object' }, 'a b')] }, /^tools\.0\.function\.name: "a b"/],
    [{ tools: [tool(), tool()] }, /^tools\.1.*there twice/],
    [{ tools: [tool({ type: 'string' })] }, /type object/],
    [{ tools: Array.from({ length: 129 }, (_, index) => tool({ type: 'object' }, `t${index}`)) }, /at most 128/],
    [{ messages: [] }, /^messages: must not be empty/],
    [{ messages: [{ role: 'robot', content: 'x' }] }, /messages\.0\.role: "robot"/],
    [{ messages: [{ role: 'user', content: ' ' }] }, /messages\.0\.content/],
    [{ messages: [{ role: 'user', content: [] }] }, /must not be empty/],
    [{ messages: [{ role: 'user', content: [{ type: 'input_text', text: 'x' }] }] }, /content\.0\.type/],
    [{ messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] }] }, /url: "x"/],
    [{ messages: [hello, { role: 'system', content: 'late' }] }, /must come first/],
    [{ messages: [hello, { role: 'assistant', content: null }, hello] }, /required where there are no tool_calls/],
    [{ messages: [hello, { role: 'assistant', content: 'x', reasoning_content: 'y' }, hello] }, /no such field/],
    [{ messages: [hello, { role: 'assistant', content: 'x' }] }, /last message/],
    [
      { messages: [hello, { role: 'assistant', content: 'x' }, { role: 'assistant', content: 'y' }, hello] },
      /in a row/,
    ],
    [{ messages: [hello, result('a')] }, /must answer tool_calls/],
    [{ messages: [hello, called({}, 'a'), hello] }, /messages\.2: tool_calls without a result: a/],
    [{ messages: [hello, called({}, 'a')] }, /without a result: a/],
    [{ messages: [hello, called({}, 'a', 'b'), result('b'), result('a')] }, /the result of b comes before that of a/],
    [{ messages: [hello, called({}, 'a', 'a'), result('a'), result('a')] }, /the call ID a was used before/],
    [{ messages: [hello, called({}, 'a'), result('a', '')] }, /messages\.2\.content/],
    [
      { messages: [hello, called({}, 'a'), result('a', [{ type: 'image_url', image_url: { url: 'https://a' } }])] },
      /messages\.2/,
    ],
    [
      {
        messages: [
          hello,
          called({ tool_calls: [{ id: 'a', type: 'function', function: { name: 'Read', arguments: '{' } }] }),
          result('a'),
        ],
      },
      /JSON text of an object/,
    ],
    [{ messages: [{ role: 'user', content: 'half \ud83d' }] }, /half a surrogate pair/],
    [loop({ reasoning_content: 'hm' }), /no such field/, 'groq'],
    [loop({}), /Missing `reasoning_content`.*index 1/, 'deepseek'],
    [loop({}), /messages\.1\.content/, 'lmstudio'],
    [
      { tools: [tool({ type: 'object', properties: { a: { type: 'string', pattern: '^a' } } })] },
      /properties|pattern: failed to parse grammar/,
      'llamacpp',
    ],
    [{ tools: [tool({ type: 'object', properties: { a: true } })] }, /cannot unmarshal/, 'ollama'],
    [
      loop({ reasoning_details: [{ type: 'reasoning.text', text: 'hm.', signature: signer.sign('hm') }] }),
      /Invalid `signature`/,
      'openrouter',
    ],
    [loop({ reasoning_details: [{ type: 'reasoning.odd' }] }), /unknown/, 'openrouter'],
    [{ model: 'mistral', ...loop({}) }, /length 9/, 'vllm'],
    [
      { model: 'mistral', messages: [hello, called({}, 'Ab3456789'), result('Ab3456789'), hello] },
      /must alternate/,
      'llamacpp',
    ],
    [{ thinking: { type: 'sometimes' } }, /thinking\.type/, 'deepseek'],
  ])('%j', (over, problem, kind) => {
    expect(check(over, kind)).toMatch(problem);
  });

  test('a body that is none', () => expect(checkRequest(undefined, flavours[''] as never, signer)).toMatch(/object/));
});
