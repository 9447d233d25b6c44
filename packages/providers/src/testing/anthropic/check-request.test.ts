import { describe, expect, test } from 'vitest';
import { checkRequest } from './check-request.ts';
import { createReasoningSigner } from '../reasoning-signature.ts';

const signer = createReasoningSigner();
const hello = { role: 'user', content: 'Hello' };

function check(over: object): string | undefined {
  return checkRequest({ model: 'm', max_tokens: 10, stream: true, messages: [hello], ...over }, signer);
}

function use(id: string, over: object = {}) {
  return { type: 'tool_use', id, name: 'Read', input: {}, ...over };
}

function result(id: string, over: object = {}) {
  return { type: 'tool_result', tool_use_id: id, content: 'ok', ...over };
}

function assistant(...content: object[]) {
  return { role: 'assistant', content };
}

function user(...content: object[]) {
  return { role: 'user', content };
}

const said = { type: 'text', text: 'Well.' };
const thought = { type: 'thinking', thinking: 'hm', signature: signer.sign('hm') };

describe('good requests', () => {
  test.each([
    ['the least', {}],
    ['a system text', { system: 'Be brief.' }],
    ['one call', { messages: [hello, assistant(said, use('a')), user(result('a'))] }],
    [
      'calls answered in order, text behind',
      { messages: [hello, assistant(use('a'), use('b')), user(result('a'), result('b'), said)] },
    ],
    [
      'results over two messages of one turn',
      { messages: [hello, assistant(use('a'), use('b')), user(result('a')), user(result('b'))] },
    ],
    [
      'a call over two messages of one turn',
      { messages: [hello, assistant(said), assistant(use('a')), user(result('a'))] },
    ],
    ['signed reasoning', { messages: [hello, assistant(thought, said), hello] }],
    [
      'blocks of the vendor alone',
      { messages: [hello, assistant({ type: 'server_tool_use', id: 's', name: 'web_search', input: {} }), hello] },
    ],
    [
      'four cache marks',
      { messages: [user(...Array.from({ length: 4 }, () => ({ ...said, cache_control: { type: 'ephemeral' } })))] },
    ],
  ])('%s', (_name, over) => {
    expect(check(over)).toBeUndefined();
  });
});

describe('bad requests say what and where', () => {
  test.each<[object, RegExp]>([
    [{ model: '' }, /^model/],
    [{ max_tokens: undefined }, /^max_tokens/],
    [{ max_tokens: 0 }, /^max_tokens/],
    [{ stream: false }, /^stream/],
    [{ thinking: { type: 'enabled', budget_tokens: 10 } }, /budget_tokens.*1024/],
    [{ thinking: { type: 'enabled', budget_tokens: 2048 } }, /less than max_tokens/],
    [{ system: [{ type: 'text', text: '' }] }, /^system\.0/],
    [{ tools: [{ name: 'a b', input_schema: { type: 'object' } }] }, /^tools\.0\.name: "a b"/],
    [{ tools: [{ name: 'x'.repeat(65), input_schema: { type: 'object' } }] }, /^tools\.0\.name/],
    [
      {
        tools: [
          { name: 'a', input_schema: { type: 'object' } },
          { name: 'a', input_schema: { type: 'object' } },
        ],
      },
      /tools\.1\.name.*unique/,
    ],
    [{ tools: [{ name: 'a', input_schema: { type: 'string' } }] }, /input_schema/],
    [{ messages: [] }, /at least one/],
    [{ messages: [assistant(said)] }, /first message/],
    [{ messages: [{ role: 'system', content: 'x' }] }, /messages\.0\.role: "system"/],
    [{ messages: [{ role: 'user', content: [] }] }, /must not be empty/],
    [{ messages: [user({ type: 'text', text: ' \n' })] }, /messages\.0\.content\.0\.text.*white space/],
    [{ messages: [user(use('a'))] }, /takes no tool_use/],
    [
      { messages: [user({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: '%%' } })] },
      /not base64/,
    ],
    [{ messages: [hello, assistant(use('a')), hello] }, /messages\.2: tool_use ids without tool_result.*a$/],
    [{ messages: [hello, assistant(use('a'))] }, /without tool_result.*a$/],
    [{ messages: [hello, assistant(use('a'), use('b')), user(result('a'))] }, /without tool_result.*: b$/],
    [
      { messages: [hello, assistant(use('a')), user(result('b'), result('a'))] },
      /messages\.2\.content\.0\.tool_use_id: b names no/,
    ],
    [{ messages: [user(result('a'))] }, /a names no tool_use/],
    [{ messages: [hello, assistant(use('a')), user(result('a'), result('a'))] }, /once each/],
    [{ messages: [hello, assistant(use('a'), use('b')), user(result('b'), result('a'))] }, /in the order/],
    [
      { messages: [hello, assistant(use('a')), user(said, result('a'))] },
      /messages\.2\.content\.0: tool_result blocks must come before/,
    ],
    [
      { messages: [hello, assistant(use('a')), user(result('a')), assistant(use('a')), user(result('a'))] },
      /messages\.3.*unique/,
    ],
    [{ messages: [hello, assistant(use('a', { name: 'no spaces' })), user(result('a'))] }, /content\.0\.name/],
    [{ messages: [hello, assistant(use('a', { input: 'x' })), user(result('a'))] }, /input: must be an object/],
    [{ messages: [hello, assistant(use('a b')), user(result('a b'))] }, /content\.0\.id/],
    [
      { messages: [hello, assistant(use('a')), user(result('a', { content: [], is_error: true }))] },
      /must not be empty when is_error/,
    ],
    [
      { messages: [hello, assistant(use('a')), user(result('a', { content: [{ type: 'text', text: '' }] }))] },
      /content\.0\.content\.0\.text/,
    ],
    [{ messages: [hello, assistant(use('a')), user(result('a', { content: [thought] }))] }, /a tool result takes/],
    [
      { messages: [hello, assistant({ ...thought, thinking: 'hm.' }), hello] },
      /messages\.1\.content\.0\.signature: invalid signature/,
    ],
    [{ messages: [hello, assistant({ ...thought, signature: undefined }), hello] }, /signature: is required/],
    [
      { messages: [hello, assistant({ ...thought, cache_control: { type: 'ephemeral' } }, said), hello] },
      /thinking takes no mark/,
    ],
    [{ messages: [hello, assistant({ type: 'text', text: 'So ' })] }, /end with white space/],
    [
      { messages: [user(...Array.from({ length: 5 }, () => ({ ...said, cache_control: { type: 'ephemeral' } })))] },
      /5 blocks.*at most 4/,
    ],
    [{ messages: [user({ type: 'text', text: 'half \ud83d' })] }, /half a surrogate pair/],
  ])('%j', (over, problem) => {
    expect(check(over)).toMatch(problem);
  });
});
