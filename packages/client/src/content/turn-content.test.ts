import { TurnInputBlock } from '@rondo/protocol';
import { describe, expect, test } from 'vitest';
import { turnContent, type TurnInput } from './turn-content.ts';

const blocks: readonly Record<string, unknown>[] = [
  { type: 'text', text: 'hi', annotations: { audience: ['user'], priority: 0.5 }, meta: { trace: [1, null] } },
  { type: 'text' },
  { type: 'image', uri: 'data:image/png;base64,AAAA', mediaType: 'image/png', altText: 'dot' },
  { type: 'audio', uri: 'data:audio/wav;base64,AAAA' },
  { type: 'resource_link', uri: 'file:///a', name: 'a', title: 'A', description: 'd', size: 3 },
  { type: 'embedded_resource', uri: 'file:///a', text: 'abc' },
  { type: 'embedded_resource', uri: 'file:///a', blob: 'YWJj' },
];

const wrong: readonly (readonly [string, Record<string, unknown>])[] = [
  ['type', { type: 'hologram' }],
  ['type', { type: 'toString' }],
  ['type', {}],
  ['text', { type: 'text', text: 7 }],
  ['uri', { type: 'image' }],
  ['uri', { type: 'audio', uri: null }],
  ['uri', { type: 'resource_link' }],
  ['size', { type: 'resource_link', uri: 'u', size: 1.5 }],
  ['size', { type: 'resource_link', uri: 'u', size: -1 }],
  ['exactly one', { type: 'embedded_resource', uri: 'u' }],
  ['exactly one', { type: 'embedded_resource', uri: 'u', text: 'a', blob: 'b' }],
  ['altText', { type: 'image', uri: 'u', altText: 7 }],
  ['mediaType', { type: 'image', uri: 'u', mediaType: 7 }],
  ['priority', { type: 'text', annotations: { priority: 1.01 } }],
  ['audience', { type: 'text', annotations: { audience: 'user' } }],
  ['annotations', { type: 'text', annotations: [] }],
  ['meta', { type: 'text', meta: 'x' }],
  ['meta', { type: 'text', meta: [1] }],
];

describe('turnContent', () => {
  test('text becomes one block with exactly that text', () => {
    expect(turnContent(' a\u2028b ')).toEqual([{ type: 'text', text: ' a\u2028b ' }]);
  });

  test('known blocks go out as they are, in order', () => {
    expect(turnContent(blocks as unknown as TurnInput)).toEqual(blocks);
  });

  test.each(wrong)('%s: a block that a turn cannot hold is named with its place', (field, block) => {
    const call = (): unknown => turnContent([{ type: 'text', text: 'first' }, block] as unknown as TurnInput);
    expect(call).toThrow(TypeError);
    expect(call).toThrow(/content\.1/);
    expect(call).toThrow(field);
  });

  test('the schema of the wire accepts and refuses the same blocks', () => {
    for (const block of blocks) expect(TurnInputBlock.safeParse(block).success).toBe(true);
    for (const [, block] of wrong) expect(TurnInputBlock.safeParse(block).success).toBe(false);
  });

  test('what the caller changes later changes nothing that was sent', () => {
    const block = { type: 'text' as const, text: 'before', meta: { list: [1] } };
    const content = turnContent([block]);
    block.text = 'after';
    block.meta.list.push(2);
    expect(content).toEqual([{ type: 'text', text: 'before', meta: { list: [1] } }]);
  });

  test.each([
    ['a function', () => 1],
    ['a date', new Date(0)],
    ['not a number', Number.NaN],
    ['a big integer', 1n],
  ])('%s in meta is refused, with its place', (_what, value) => {
    const call = (): unknown => turnContent([{ type: 'text', meta: { deep: [value] } }] as unknown as TurnInput);
    expect(call).toThrow(/content\.0\.meta\.deep\.0/);
  });

  test('an own member named __proto__ stays a member', () => {
    const block: unknown = JSON.parse('{"type":"text","meta":{"__proto__":{"admin":true}}}');
    const [copy] = turnContent([block] as unknown as TurnInput);
    expect(JSON.stringify(copy)).toBe('{"type":"text","meta":{"__proto__":{"admin":true}}}');
  });

  test('an image over the limit is refused before it is sent', () => {
    const uri = `data:image/png;base64,${'A'.repeat(10_000_001)}`;
    expect(() => turnContent([{ type: 'image', uri }])).toThrow(/over 10000000 base64 characters/);
  });
});
