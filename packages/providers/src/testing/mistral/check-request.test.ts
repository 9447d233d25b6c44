import { describe, expect, test } from 'vitest';
import { checkRequest } from './check-request.ts';

const user = { role: 'user', content: [{ type: 'text', text: 'Hello' }] };
const call = (id: string) => ({ id, type: 'function', function: { name: 'Read', arguments: '{}' } });
const calls = (...ids: readonly string[]) => ({ role: 'assistant', content: '', tool_calls: ids.map(call) });
const result = (id: string) => ({ role: 'tool', name: 'Read', tool_call_id: id, content: 'x' });
const a = 'abcdefgh1';
const b = 'abcdefgh2';

function check(messages: readonly unknown[], more: object = {}): string | undefined {
  return checkRequest({ model: 'mistral-medium-latest', stream: true, messages, ...more });
}

test.each([
  ['a word', [user]],
  ['system first', [{ role: 'system', content: 'Greet.' }, user]],
  ['calls with their results', [user, calls(a, b), result(a), result(b)]],
  ['a reply between results and words', [user, calls(a), result(a), { role: 'assistant', content: 'So.' }, user]],
  [
    'thinking',
    [
      user,
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }], closed: true },
          { type: 'text', text: 'So.' },
        ],
      },
      user,
    ],
  ],
  ['a picture', [{ role: 'user', content: [{ type: 'image_url', image_url: 'data:image/png;base64,aa' }] }]],
  ['a beginning of the reply', [user, { role: 'assistant', content: 'So', prefix: true }]],
])('%s is a good request', (_name, messages) => {
  expect(check(messages)).toBeUndefined();
});

describe('refused', () => {
  test.each([
    ['nothing said', [], 'at least one message'],
    ['the model first', [{ role: 'assistant', content: 'a' }, user], 'must start with a user message'],
    ['words right behind results', [user, calls(a), result(a), user], "Unexpected role 'user' after role 'tool'"],
    ['a result behind words', [user, result(a)], "Unexpected role 'tool' after role 'user'"],
    ['the model last', [user, { role: 'assistant', content: 'a' }], 'Expected last role User or Tool'],
    ['a missing result', [user, calls(a, b), result(a)], 'Not the same number of function calls and responses'],
    [
      'a missing result before more words',
      [user, calls(a, b), result(a), { role: 'assistant', content: 'a' }, user],
      'Not the same number',
    ],
    ['results in another order', [user, calls(a, b), result(b), result(a)], 'where the result of'],
    ['an ID twice', [user, calls(a), result(a), calls(a), result(a)], 'Duplicate tool call id'],
    ['an ID of another form', [user, calls('call_1'), result('call_1')], 'messages.1.tool_calls.0.id'],
    ['an empty reply', [user, { role: 'assistant', content: '' }, user], 'either content or tool_calls'],
    ['an unknown field', [{ ...user, name: 'me' }], 'messages.0.name: there is no such field'],
    ['an unknown chunk', [{ role: 'user', content: [{ type: 'video' }] }], 'is none of'],
    ['an unknown role', [{ role: 'developer', content: 'a' }], 'messages.0.role'],
  ])('%s', (_name, messages, problem) => {
    expect(check(messages)).toContain(problem);
  });

  test.each([
    [{ store: true }, 'store: there is no such field'],
    [{ stream: false }, 'stream'],
    [{ reasoning_effort: 'extreme' }, 'reasoning_effort'],
    [{ model: 'codestral-latest', reasoning_effort: 'high' }, 'does not support it'],
    [{ tools: [{ type: 'function', function: { name: 'a b', parameters: {} } }] }, 'tools.0.function.name'],
    [{ tools: [{ type: 'function', function: { name: 'a' } }] }, 'parameters: is required'],
  ])('%j', (more, problem) => {
    expect(check([user], more)).toContain(problem);
  });
});
