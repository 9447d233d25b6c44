import { describe, expect, test } from 'vitest';
import { createReasoningSigner } from '../reasoning-signature.ts';
import { checkRequest } from './check-request.ts';
import { ownCallId, signedPart } from './signed-part.ts';

const signer = createReasoningSigner();
const model = 'gemini-3.8-flash';

const user = { role: 'user', parts: [{ text: 'Hello' }] };
const call = (id: string, signed = true) => {
  const functionCall = { id, name: 'Read', args: {} };
  return { functionCall, ...(signed && { thoughtSignature: signer.sign(signedPart({ functionCall })) }) };
};
const said = (...parts: readonly object[]) => ({ role: 'model', parts });
const response = (id: string, name = 'Read') => ({ functionResponse: { id, name, response: { content: 'x' } } });
const results = (...parts: readonly object[]) => ({ role: 'user', parts });

function check(contents: readonly unknown[], more: object = {}, asked = model): string | undefined {
  return checkRequest({ contents, ...more }, { model: asked, signer });
}

test.each([
  ['a word', [user]],
  [
    'calls, of which the first is signed',
    [user, said({ text: 'So.' }, call('a'), call('b', false)), results(response('a'), response('b')), user],
  ],
  [
    'thoughts, signed or not',
    [
      user,
      said({ text: 'Hm', thought: true }, { text: 'So', thoughtSignature: signer.sign(signedPart({ text: 'So' })) }),
      user,
    ],
  ],
  [
    'the word for a call of another model',
    [
      user,
      said({ ...call('toolu_1', false), thoughtSignature: 'skip_thought_signature_validator' }),
      results(response('toolu_1')),
    ],
  ],
  [
    'a picture in a result',
    [
      user,
      said(call('a')),
      results({
        functionResponse: {
          ...response('a').functionResponse,
          parts: [{ inlineData: { mimeType: 'image/png', data: 'aGk=' } }],
        },
      }),
    ],
  ],
])('%s is a good request', (_name, contents) => {
  expect(check(contents)).toBeUndefined();
});

describe('refused', () => {
  const own = ownCallId({ model, signer }, 'conversation', 0);
  test.each([
    ['nothing said', [], 'contents is not specified'],
    ['the model first', [said({ text: 'a' }), user], 'the first content must be'],
    ['the model last', [user, said({ text: 'a' })], 'the last content must be'],
    [
      'a call behind the model’s own words',
      [user, said({ text: 'a' }), said(call('a')), results(response('a'))],
      'must come immediately after a user turn',
    ],
    [
      'a missing response',
      [user, said(call('a'), call('b', false)), results(response('a'))],
      'must be equal to the number of function call parts',
    ],
    ['a response without a call', [user, said({ text: 'a' }), results(response('a'))], 'must be equal'],
    ['responses apart', [user, said(call('a')), user, results(response('a'))], 'must be equal'],
    [
      'responses in another order',
      [user, said(call('a'), call('b', false)), results(response('b'), response('a'))],
      'names no call',
    ],
    [
      'a response of another function',
      [user, said(call('a')), results(response('a', 'Write'))],
      'is a response of Write',
    ],
    ['an unsigned call', [user, said(call('a', false)), results(response('a'))], 'missing a thought_signature'],
    [
      'an altered signature',
      [user, said({ ...call('a'), thoughtSignature: 'AAAA' }), results(response('a'))],
      'Corrupted thought signature',
    ],
    [
      'a lost signature',
      [
        user,
        said({ ...call(own, false), thoughtSignature: 'skip_thought_signature_validator' }),
        results(response(own)),
      ],
      'is lost',
    ],
    [
      'an altered text',
      [user, said({ text: 'So!', thoughtSignature: signer.sign(signedPart({ text: 'So' })) }), user],
      'Corrupted',
    ],
    ['no parts', [{ role: 'user', parts: [] }], 'must not be empty'],
    ['a part of nothing', [{ role: 'user', parts: [{ thought: true }] }], "required oneof field 'data'"],
    [
      'a part of two',
      [{ role: 'user', parts: [{ text: 'a', functionCall: { name: 'a' } }] }],
      "required oneof field 'data'",
    ],
    ['an unknown field', [{ ...user, name: 'me' }], 'contents.0.name: there is no such field'],
    ['an unknown role', [{ ...user, role: 'assistant' }], 'contents.0.role'],
    ['a GIF', [{ role: 'user', parts: [{ inlineData: { mimeType: 'image/gif', data: 'aGk=' } }] }], 'mimeType'],
  ])('%s', (_name, contents, problem) => {
    expect(check(contents)).toContain(problem);
  });

  const tool = (parametersJsonSchema: object, name = 'Read') => ({
    tools: [{ functionDeclarations: [{ name, description: '', parametersJsonSchema }] }],
  });
  const thinking = (thinkingConfig: object) => ({ generationConfig: { thinkingConfig } });
  test.each([
    [{ stream: true }, model, 'stream: there is no such field'],
    [tool({ type: 'object' }, '1st'), model, 'name'],
    [tool({ type: 'object', properties: { a: { pattern: '^a' } } }), model, 'pattern: there is no such field'],
    [
      tool({ type: 'object', properties: { a: { $ref: '#/$defs/a', description: 'a' } } }),
      model,
      'nothing may stand beside a $ref',
    ],
    [tool({ type: 'object', properties: { a: { type: 'string', const: 'a' } } }), model, 'const'],
    [{ tools: [{ functionDeclarations: [{ name: 'a' }, { name: 'a' }] }] }, model, 'Duplicate function declaration'],
    [thinking({ thinkingLevel: 'low', thinkingBudget: 1 }), model, 'exclude each other'],
    [thinking({ thinkingLevel: 'low' }), 'gemini-2.5-pro', 'not supported for this model'],
    [thinking({ thinkingLevel: 'minimal' }), 'gemini-4-neon', 'minimal is not supported'],
    [thinking({ thinkingLevel: 'MINIMAL' }), 'gemini-4-neon', 'minimal is not supported'],
    [thinking({ thinkingLevel: 'some' }), model, '"SOME" is none of'],
    [thinking({ thinkingLevel: 2 }), model, '2 is none of'],
    [thinking({ thinkingBudget: 0 }), 'gemini-2.5-pro', 'between 128 and 32768'],
    [thinking({ thinkingBudget: 100 }), 'gemini-2.5-flash-lite', 'between 512'],
  ] as const)('%j for %s', (more, asked, problem) => {
    expect(check([user], more, asked)).toContain(problem);
  });

  test.each(['LOW', 'low', 'High', 'THINKING_LEVEL_UNSPECIFIED'])(
    'a level of thinking is taken as %s',
    (thinkingLevel) => {
      expect(check([user], thinking({ thinkingLevel }))).toBeUndefined();
    },
  );
});
