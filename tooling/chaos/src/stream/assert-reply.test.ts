import { RondoError } from '@rondo/protocol/values';
import type { ModelPart } from '@rondo/runtime';
import { expect, test } from 'vitest';
import { assertReply } from './assert-reply.ts';

const usage = { inputTokens: 1, outputTokens: 1 };
const start: ModelPart = { type: 'start' };
const open: ModelPart = { type: 'block-start', index: 0, block: 'text' };
const delta: ModelPart = { type: 'delta', index: 0, text: 'Hel' };
const close: ModelPart = { type: 'block-end', index: 0, block: { type: 'text', text: 'Hello' } };
const end: ModelPart = { type: 'end', stopReason: 'end_turn', usage };
const broken = new RondoError('model.stream_broken', 'it broke off');

test('a whole reply and one that breaks off are sound', () => {
  assertReply({ parts: [start, open, delta, close, end], outcomes: ['ended'] });
  assertReply({ parts: [start, open, delta], outcomes: [broken] });
  assertReply({ parts: [], outcomes: [broken] });
});

test.each<[string, readonly ModelPart[], readonly unknown[], RegExp]>([
  ['no outcome', [start], [], /0 outcomes/],
  ['two outcomes', [start, end], ['ended', broken], /2 outcomes/],
  ['an exception', [start], [new TypeError('x is undefined')], /no error of a model: TypeError/],
  ['an error of something else', [start], [new RondoError('internal', 'x')], /no error of a model/],
  ['an end that failed', [start, end], [broken], /something comes behind it/],
  ['no end', [start], ['ended'], /ended without an end/],
  ['no start', [end], ['ended'], /without a start/],
  ['two starts', [start, start], [broken], /comes late or twice/],
  ['a part behind the end', [start, end, open], ['ended'], /something comes behind it/],
  ['a block in a block', [start, open, open], [broken], /inside another block/],
  ['a block left open', [start, open, end], ['ended'], /inside a block/],
  ['a wrong place', [start, { ...open, index: 1 }], [broken], /out of order/],
  ['a delta of nothing', [start, delta], [broken], /not open/],
  ['another kind', [start, open, { ...close, block: { type: 'reasoning', text: '' } }], [broken], /another kind/],
  ['another text', [start, open, { ...delta, text: 'Bye' }, close], [broken], /shown otherwise/],
  ['half a token', [start, { ...end, usage: { inputTokens: 0.5, outputTokens: 1 } }], ['ended'], /inputTokens is 0.5/],
])('%s is not', (_name, parts, outcomes, problem) => {
  expect(() => assertReply({ parts, outcomes })).toThrow(problem);
});
