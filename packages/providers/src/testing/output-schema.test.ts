import { describe, expect, test } from 'vitest';
import { anthropicSchema, responseFormat, textFormat } from './output-schema.ts';

const closed = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'], additionalProperties: false };
const { additionalProperties: _closed, ...open } = closed;
const optional = { ...closed, required: [] };
const nested = (inner: object): object => ({ ...closed, properties: { n: { type: 'array', items: inner } } });
const chat = (schema: object, strict: boolean) => ({
  type: 'json_schema',
  json_schema: { name: 'output', schema, strict },
});
const text = (schema: object, strict: boolean) => ({ format: { type: 'json_schema', name: 'output', schema, strict } });

describe('an output’s schema as vendors take it', () => {
  test.each([
    ['Anthropic', anthropicSchema(closed, 's')],
    ['Anthropic, optional', anthropicSchema(optional, 's')],
    ['chat completions, strict', responseFormat(chat(nested(closed), true), 's')],
    ['chat completions, not strict', responseFormat(chat(optional, false), 's')],
    ['chat completions, any object', responseFormat({ type: 'json_object' }, 's')],
    ['responses, strict', textFormat(text(closed, true), 's')],
    ['responses, text', textFormat({ format: { type: 'text' }, verbosity: 'low' }, 's')],
  ])('is taken: %s', (_vendor, problem) => {
    expect(problem).toBeUndefined();
  });

  test.each([
    ['an open object', anthropicSchema(open, 's'), /additionalProperties/],
    ['an open object within', anthropicSchema(nested(open), 's'), /additionalProperties/],
    ['a limit', anthropicSchema(nested({ type: 'integer', minimum: 1 }), 's'), /minimum: is not supported/],
    ['a value of any type', anthropicSchema(nested({}), 's'), /'type'/],
    ['a list at the top', anthropicSchema({ type: 'array', items: closed }, 's'), /of an object/],
    ['an optional property where it is strict', responseFormat(chat(optional, true), 's'), /Missing 'n'/],
    ['a schema without a name', responseFormat({ type: 'json_schema', json_schema: { schema: closed } }, 's'), /name/],
    ['an open object where it is strict', textFormat(text(open, true), 's'), /additionalProperties/],
    ['a format that there is not', textFormat({ format: { type: 'yaml' } }, 's'), /yaml/],
  ])('is refused: %s', (_what, problem, reason) => {
    expect(problem).toMatch(reason);
  });
});
