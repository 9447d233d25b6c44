import { describe, expect, test } from 'vitest';
import { createReasoningSigner } from '../reasoning-signature.ts';
import { checkCount, checkRequest } from './check-request.ts';
import { sealReasoning } from './reasoning-seal.ts';

const signer = createReasoningSigner();
const hello = { role: 'user', content: [{ type: 'input_text', text: 'Hello' }] };
const good = { model: 'gpt-6.2-sol', stream: true, store: false, input: [hello] };

function problem(change: object): string | undefined {
  return checkRequest({ ...good, ...change }, signer);
}

function input(...items: readonly object[]): string | undefined {
  return problem({ input: [hello, ...items] });
}

const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'Read', arguments: '{}' };
const output = { type: 'function_call_output', call_id: 'call_1', output: 'ok' };
const said = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'Yes', annotations: [] }],
};
const thought = {
  type: 'reasoning',
  id: 'rs_1',
  summary: [{ type: 'summary_text', text: 'Hm.' }],
  encrypted_content: sealReasoning({ id: 'rs_1', summary: ['Hm.'] }, signer),
};
const tool = { type: 'function', name: 'Read', parameters: { type: 'object', properties: {} }, strict: false };
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe('good requests', () => {
  test.each([
    ['the least', {}],
    ['plain text', { input: 'Hello' }],
    ['instructions and settings', { instructions: 'Be brief.', max_output_tokens: 16, reasoning: { effort: 'none' } }],
    ['tools', { tools: [tool, { type: 'web_search' }] }],
    ['words of the assistant without an ID', { input: [hello, { role: 'assistant', content: 'Yes' }] }],
    ['a whole step', { input: [hello, thought, said, call, output] }],
    ['reasoning before a call', { input: [hello, thought, call, output] }],
  ])('%s', (_name, change) => {
    expect(problem(change)).toBeUndefined();
  });

  test('a count takes what is not about the reply', () => {
    expect(checkCount({ model: 'm', input: [hello], tools: [tool] }, signer)).toBeUndefined();
    expect(checkCount({ model: 'm', input: [hello], stream: true }, signer)).toBe('stream: there is no such field');
  });
});

describe('what the API would refuse', () => {
  test.each<[string, object, RegExp]>([
    ['an unknown parameter', { max_tokens: 5 }, /^max_tokens: there is no such field/],
    ['no stream', { stream: false }, /^stream/],
    ['no model', { model: '' }, /^model/],
    ['too few tokens', { max_output_tokens: 5 }, /^max_output_tokens: .*16/],
    ['a long cache key', { prompt_cache_key: 'x'.repeat(65) }, /^prompt_cache_key/],
    ['a kept response', { previous_response_id: 'resp_1' }, /not found/],
    ['an unknown effort', { reasoning: { effort: 'huge' } }, /^reasoning\.effort/],
    ['reasoning of one that has none', { model: 'gpt-4.1', reasoning: { effort: 'low' } }, /Unsupported parameter/],
    ['its encrypted form', { model: 'gpt-4.1', include: ['reasoning.encrypted_content'] }, /Encrypted content/],
    ['no input', { input: [] }, /^input/],
    ['a name that is too long', { tools: [{ ...tool, name: 'x'.repeat(65) }] }, /^tools\[0\]\.name/],
    ['a name with a dot', { tools: [{ ...tool, name: 'a.b' }] }, /^tools\[0\]\.name/],
    ['a name twice', { tools: [tool, tool] }, /twice/],
    ['too many tools', { tools: Array.from({ length: 129 }, (_, index) => ({ ...tool, name: `t${index}` })) }, /129/],
    ['a tool without strict', { tools: [{ ...tool, strict: undefined }] }, /strict: is required/],
    ['a choice at the top', { tools: [{ ...tool, parameters: { type: 'object', anyOf: [{}] } }] }, /top level/],
    ['no properties', { tools: [{ ...tool, parameters: { type: 'object' } }] }, /object schema missing properties/],
    [
      'an array without items',
      { tools: [{ ...tool, parameters: { type: 'object', properties: { a: { type: 'array' } } } }] },
      /In context=\('properties', 'a'\), array schema missing items/,
    ],
    ['half a character', { instructions: 'a\ud83d' }, /surrogate/],
  ])('%s', (_name, change, expected) => {
    expect(problem(change)).toMatch(expected);
  });

  test.each<[string, readonly object[], RegExp]>([
    ['a call without an output', [call], /No tool output found for function call call_1/],
    ['an output without a call', [output], /No tool call found for function call output with call_id call_1/],
    ['an output twice', [call, output, output], /Duplicate function_call_output/],
    ['a call twice', [call, { ...call, id: 'fc_2' }, output], /Duplicate function_call found/],
    ['an ID twice', [said, said], /Duplicate item found with id msg_1/],
    ['an ID of another kind', [{ ...call, id: 'call_1' }, output], /Expected an ID that begins with 'fc_'/],
    ['arguments that are no JSON', [{ ...call, arguments: '{"a":' }, output], /arguments: is no JSON/],
    ['reasoning at the end', [thought], /without its required following item/],
    ['reasoning before a person', [thought, hello], /without its required following item/],
    ['reasoning that was altered', [{ ...thought, encrypted_content: 'AAAA' }, said], /could not be verified/],
    ['a summary that was altered', [{ ...thought, summary: [] }, said], /could not be verified/],
    ['reasoning that is not there', [{ ...thought, encrypted_content: null }, said], /not persisted/],
    ['reasoning with a field of ours', [{ ...thought, text: 'Hm.' }, said], /text: there is no such field/],
    ['an unknown item', [{ type: 'thought' }], /type: "thought" is none of/],
    ['empty words', [{ role: 'assistant', content: '' }], /at least one character/],
    ['an empty part', [{ role: 'user', content: [{ type: 'input_text', text: '' }] }], /at least one character/],
    ['a message without parts', [{ role: 'user', content: [] }], /must not be empty/],
    [
      'words of the model from a person',
      [{ role: 'user', content: [{ type: 'output_text', text: 'x' }] }],
      /output_text/,
    ],
    [
      'a picture that is none',
      [{ role: 'user', content: [{ type: 'input_image', image_url: 'data:image/png;base64,AAAA' }] }],
      /valid image/,
    ],
    [
      'base64 that is none',
      [{ role: 'user', content: [{ type: 'input_image', image_url: `data:image/png;base64,${png}!` }] }],
      /Expected a valid URL/,
    ],
    [
      'a file without a name',
      [{ role: 'user', content: [{ type: 'input_file', file_data: 'data:application/pdf;base64,JVBERi0x' }] }],
      /filename: is required/,
    ],
  ])('%s', (_name, items, expected) => {
    expect(input(...items)).toMatch(expected);
  });

  test('a picture that is one is taken', () => {
    expect(
      input({
        role: 'user',
        content: [{ type: 'input_image', image_url: `data:image/png;base64,${png}`, detail: 'auto' }],
      }),
    ).toBeUndefined();
  });
});
