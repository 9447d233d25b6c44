import { describe, expect, test } from 'vitest';
import { checkRequest, type CheckRequestOptions } from './check-request.ts';
import { createReasoningSigner } from '../reasoning-signature.ts';

const signer = createReasoningSigner();
const hello = { role: 'user', content: 'Hello' };

function check(over: object, options?: CheckRequestOptions): string | undefined {
  return checkRequest({ model: 'm', max_tokens: 10, stream: true, messages: [hello], ...over }, signer, options);
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

function search(id: string) {
  return { type: 'server_tool_use', id, name: 'web_search', input: { query: 'x' }, caller: { type: 'direct' } };
}

function found(id: string) {
  const page = { type: 'web_search_result', url: 'https://x', title: 'X', encrypted_content: 'Eq', page_age: null };
  return { type: 'web_search_tool_result', tool_use_id: id, content: [page] };
}

const cited = {
  type: 'char_location',
  cited_text: 'x',
  document_index: 0,
  document_title: null,
  start_char_index: 0,
  end_char_index: 1,
};
const pdf = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERg==' } };
const paper = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Hi' } };
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
      'calls of the vendor, each with its result',
      { messages: [hello, assistant(search('s'), found('s'), said), hello] },
    ],
    ['a call of the vendor that is not done yet, to go on with', { messages: [hello, assistant(said, search('s'))] }],
    [
      'a call of the vendor that waits for the results of others',
      { messages: [hello, assistant(search('s'), use('a')), user(result('a'))] },
    ],
    [
      'the result of such a call in the reply after',
      {
        messages: [hello, assistant(search('s'), use('a')), user(result('a')), assistant(found('s'), said), hello],
      },
    ],
    ['a text with its citations', { messages: [hello, assistant({ ...said, citations: [cited] }), hello] }],
    ['documents', { messages: [user(pdf, { ...paper, title: 'Notes', context: 'Of May' }, said)] }],
    ['tools of the vendor', { tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 3 }] }],
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
    [{ max_tokens: undefined }, /^max_tokens: is required/],
    [{ max_tokens: 0 }, /^max_tokens/],
    [{ stream: false }, /^stream/],
    [{ thinking: { type: 'enabled', budget_tokens: 10 } }, /budget_tokens.*1024/],
    [{ thinking: { type: 'enabled', budget_tokens: 2048 } }, /less than max_tokens/],
    [{ temperature: 1.1 }, /^temperature/],
    [{ max_tokens: 9_000, temperature: 0, thinking: { type: 'enabled', budget_tokens: 2048 } }, /^temperature/],
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
    [{ messages: [user(use('a'))] }, /^messages\.0\.content\.0\.type: "tool_use" is none of text, /],
    [
      { messages: [user({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: '%%' } })] },
      /source\.data: "%%" does not match/,
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
    [
      { messages: [hello, assistant(use('a')), user(result('a', { content: [thought] }))] },
      /content\.0\.content\.0\.type: "thinking" is none of/,
    ],
    [
      { messages: [hello, assistant({ ...thought, thinking: 'hm.' }), hello] },
      /^messages\.1\.content\.0: Invalid `signature` in `thinking` block$/,
    ],
    [{ messages: [hello, assistant({ ...thought, signature: undefined }), hello] }, /signature: is required/],
    [
      { messages: [hello, assistant({ ...thought, cache_control: { type: 'ephemeral' } }, said), hello] },
      /content\.0\.cache_control: there is no such field/,
    ],
    [{ messages: [hello, assistant({ type: 'text', text: 'So ' })] }, /end with white space/],
    [
      { messages: [user(...Array.from({ length: 5 }, () => ({ ...said, cache_control: { type: 'ephemeral' } })))] },
      /5 blocks.*at most 4/,
    ],
    [{ response_format: {} }, /^response_format: there is no such field/],
    [{ thinking: { type: 'adaptive', budget_tokens: 2048 } }, /^thinking\.budget_tokens: there is no such field/],
    [{ thinking: { type: 'auto' } }, /^thinking\.type: "auto" is none of enabled/],
    [{ output_config: { effort: 'extreme' } }, /^output_config\.effort: "extreme" is none/],
    [{ system: [{ type: 'image' }] }, /^system\.0\.type/],
    [{ tools: [{ name: 'a', parameters: {} }] }, /^tools\.0\.parameters: there is no such field/],
    [{ tools: [{ type: 'magic_20260101', name: 'magic' }] }, /there is no tool of the type magic_20260101/],
    [{ tools: [{ name: 'a', input_schema: { type: 'object', anyOf: [] } }] }, /input_schema: takes no anyOf/],
    [{ tools: [{ name: 'a', input_schema: { type: 'object', properties: { 'a b': {} } } }] }, /"a b" does not match/],
    [{ messages: [{ ...hello, name: 'me' }] }, /^messages\.0\.name: there is no such field/],
    [{ messages: [user({ ...said, meta: {} })] }, /^messages\.0\.content\.0\.meta: there is no such field/],
    [{ messages: [hello, assistant(use('a', { caller: {} })), user(result('a'))] }, /caller\.type/],
    [
      { messages: [hello, assistant({ ...said, citations: [{ ...cited, file_id: null }] }), hello] },
      /citations\.0\.file_id: there is no such field/,
    ],
    [{ messages: [user(pdf, { ...paper, citations: { enabled: true } })] }, /must be on for all documents or for none/],
    [{ messages: [hello, assistant(search('s'), said), hello] }, /web_search with the id s has no result/],
    [{ messages: [hello, assistant(found('s')), hello] }, /s names no call before it/],
    [
      { messages: [hello, assistant(search('s'), use('a')), user(result('a')), assistant(said), hello] },
      /web_search with the id s has no result/,
    ],
    [
      { messages: [hello, assistant({ type: 'mcp_tool_use', id: 'm', name: 'x', server_name: 'y', input: {} })] },
      /"mcp_tool_use" is none of/,
    ],
    [{ messages: [user({ type: 'text', text: 'half \ud83d' })] }, /half a surrogate pair/],
  ])('%j', (over, problem) => {
    expect(check(over)).toMatch(problem);
  });
});

test('a block of a beta is taken with its header', () => {
  const used = { type: 'mcp_tool_use', id: 'm', name: 'x', server_name: 'y', input: {} };
  const answered = { type: 'mcp_tool_result', tool_use_id: 'm', content: [said], is_error: false };
  const messages = [hello, assistant(used, answered), hello];
  expect(check({ messages }, { beta: 'other-1, mcp-client-2025-11-20' })).toBeUndefined();
  expect(check({ messages }, { beta: 'other-1' })).toMatch(/"mcp_tool_use" is none of/);
});

test('a request to count tokens takes fewer fields', () => {
  const counted = { model: 'm', messages: [hello], system: 'Be brief.', thinking: { type: 'adaptive' } };
  expect(checkRequest(counted, signer, { counts: true })).toBeUndefined();
  for (const field of ['max_tokens', 'stream', 'metadata', 'container'])
    expect(checkRequest({ ...counted, [field]: 1 }, signer, { counts: true })).toBe(`${field}: there is no such field`);
});

describe('thinking', () => {
  const budget = { type: 'enabled', budget_tokens: 1024 };
  const more = { max_tokens: 2_000 };

  test.each<[string, object, RegExp]>([
    ['claude-opus-5-5', { thinking: { type: 'disabled' } }, /"thinking\.type\.disabled" is not supported/],
    ['claude-fable-5-1', { thinking: budget }, /"thinking\.type\.enabled" is not supported/],
    ['claude-opus-4-8', { thinking: budget }, /"thinking\.type\.enabled" is not supported/],
    ['claude-haiku-4-5', { thinking: { type: 'adaptive' } }, /"thinking\.type\.adaptive" is not supported/],
    ['claude-sonnet-5-5', { thinking: { type: 'disabled' } }, /Use "thinking\.type\.between_tools"/],
    ['claude-opus-5', { thinking: { type: 'between_tools' } }, /"thinking\.type\.between_tools" is not supported/],
    ['claude-opus-5', { thinking: { type: 'disabled' }, output_config: { effort: 'max' } }, /^output_config\.effort/],
    ['claude-opus-5-5', { messages: [hello, assistant(said)] }, /does not support assistant message prefill/],
  ])('%s refuses %j', (model, over, problem) => {
    expect(check({ ...more, model, ...over })).toMatch(problem);
  });

  test.each<[string, object]>([
    ['claude-opus-4-6', { thinking: budget }],
    ['claude-haiku-4-5-20251001', { thinking: budget }],
    ['claude-sonnet-4-6', { thinking: { type: 'adaptive' } }],
    ['claude-opus-5', { thinking: { type: 'disabled' }, output_config: { effort: 'high' } }],
    ['claude-haiku-4-5', { messages: [hello, assistant(said)] }],
    ['claude-opus-5-5', { messages: [hello, assistant(said, search('s'))] }],
  ])('%s takes %j', (model, over) => {
    expect(check({ ...more, model, ...over })).toBeUndefined();
  });

  test('stands first in a turn that goes on with results, where there is a budget for it', () => {
    const turn = (...content: object[]) => ({
      ...more,
      thinking: budget,
      messages: [hello, assistant(...content, use('a')), user(result('a'))],
    });
    expect(check(turn(thought))).toBeUndefined();
    expect(check(turn({ type: 'redacted_thinking', data: 'Eq' }))).toBeUndefined();
    expect(check(turn(said))).toMatch(/^messages\.1\.content\.0\.type: Expected `thinking`.*found `text`/);
    const later = [hello, assistant(thought, use('a')), user(result('a')), assistant(use('b')), user(result('b'))];
    expect(check({ ...more, thinking: budget, messages: later })).toBeUndefined();
    const done = [hello, assistant(use('a')), user(result('a')), assistant(said), hello];
    expect(check({ ...more, thinking: budget, messages: done })).toBeUndefined();
  });

  test('what becomes of it when it moved is said with the header of its beta alone', () => {
    const thinking = { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } };
    expect(check({ thinking }, { beta: 'thinking-binding-controls-2026-08-01' })).toBeUndefined();
    expect(check({ thinking })).toMatch(/^thinking\.block_binding: there is no such field/);
  });
});
