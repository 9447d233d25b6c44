import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeFrame } from './decode-frame.ts';

describe('decodeFrame', () => {
  test('whatever the text, it gives a frame or says what is wrong, and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.json()), (text) => {
        const decoded = decodeFrame(text);
        if (!decoded.ok) expect(decoded.message).not.toBe('');
      }),
      { numRuns: 500 },
    );
  });

  test('whatever the fields, it gives a frame or names the request, and never throws', () => {
    const scalar = fc.oneof(fc.string(), fc.double(), fc.constant(null), fc.boolean(), fc.object({ maxDepth: 1 }));
    const frames = fc.record(
      {
        jsonrpc: fc.oneof(fc.constant('2.0'), scalar),
        id: scalar,
        method: scalar,
        params: fc.anything(),
        result: scalar,
        error: scalar,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(frames, (frame) => {
        const text = JSON.stringify(frame);
        const decoded = decodeFrame(text);
        const { id } = JSON.parse(text) as { id?: unknown };
        if (!decoded.ok) expect(decoded.id).toBe(typeof id === 'string' || typeof id === 'number' ? id : null);
      }),
      { numRuns: 500 },
    );
  });

  test('every frame comes back as it was sent', () => {
    const id = fc.oneof(fc.integer(), fc.string());
    const json = fc.jsonValue().map((value): unknown => JSON.parse(JSON.stringify(value)));
    const jsonrpc = fc.constant('2.0');
    const frames = fc.oneof(
      fc.record({ jsonrpc, id, method: fc.string(), params: json }),
      fc.record({ jsonrpc, method: fc.string(), params: json }),
      fc.record({ jsonrpc, id, result: json }),
      fc.record({ jsonrpc, id, error: fc.record({ code: fc.integer(), message: fc.string(), data: json }) }),
    );
    fc.assert(
      fc.property(frames, (frame) => {
        expect(decodeFrame(JSON.stringify(frame))).toEqual({ ok: true, frame });
      }),
    );
  });

  test('text that is no JSON says where it breaks', () => {
    expect(decodeFrame('{"a":')).toMatchObject({ ok: false, reason: 'not-json', id: null });
  });

  test('a request is as deep as every reader of it can go, at most; an answer may be deeper', () => {
    const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    const request = (levels: number) => decodeFrame(`{"jsonrpc":"2.0","id":7,"method":"x","params":${nested(levels)}}`);
    expect(request(512)).toMatchObject({ ok: true });
    expect(request(513)).toEqual({ ok: false, reason: 'invalid', message: 'the frame is nested too deeply', id: 7 });
    expect(decodeFrame(`{"jsonrpc":"2.0","id":7,"result":${nested(600)}}`)).toMatchObject({ ok: true });
  });

  test('what is deeper than the stack is refused, not thrown', () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    expect(decodeFrame(`{"jsonrpc":"2.0","id":7,"method":"x","params":${deep}}`)).toMatchObject({
      ok: false,
      reason: 'invalid',
      id: 7,
    });
  });

  test('line separators are data', () => {
    const text = '{"jsonrpc":"2.0","method":"x","params":"\u2028\u2029"}';
    expect(decodeFrame(text)).toMatchObject({ ok: true, frame: { params: '\u2028\u2029' } });
  });

  test('a member named __proto__ changes no prototype', () => {
    const decoded = decodeFrame('{"jsonrpc":"2.0","method":"x","params":{"__proto__":{"admin":true}}}');
    const params = decoded.ok && 'params' in decoded.frame ? decoded.frame.params : undefined;
    expect(Reflect.get(Object(params), 'admin')).toBeUndefined();
    expect(Reflect.get({}, 'admin')).toBeUndefined();
  });
});
