import { describe, expect, test } from 'vitest';
import { messageUuid } from './derive-uuid.ts';
import { PermissionResult } from './permission-result.ts';
import { SDKMessage } from './sdk-message.ts';

const line = { uuid: messageUuid('e', 0), session_id: 's' };
const usage = {
  input_tokens: 1,
  output_tokens: 2,
  cache_creation_input_tokens: null,
  cache_read_input_tokens: null,
  cache_creation: null,
  server_tool_use: null,
  service_tier: null,
  speed: null,
  inference_geo: null,
  iterations: null,
};

describe('reading a line', () => {
  test('a reply keeps its block and what a newer peer adds', () => {
    const message = {
      type: 'assistant',
      ...line,
      parent_tool_use_id: null,
      context_management: null,
      message: {
        id: 'm',
        type: 'message',
        role: 'assistant',
        model: 'x',
        content: [{ type: 'text', text: 'hi', citations: [] }],
        stop_reason: null,
        stop_sequence: null,
        usage,
      },
    };
    expect(SDKMessage.parse(message)).toEqual(message);
  });

  test('a kind or subtype that this version does not know passes as it came', () => {
    for (const value of [
      { type: 'brand_new', anything: [1] },
      { type: 'system', subtype: 'brand_new', field: true },
      { type: 'system' },
      { type: 'constructor' },
    ]) {
      expect(SDKMessage.parse(value)).toEqual(value);
    }
  });

  test('a known kind with a wrong field is refused, and the field is named', () => {
    const refused = SDKMessage.safeParse({
      type: 'system',
      subtype: 'status',
      uuid: 'no',
      session_id: 's',
      status: null,
    });
    expect(refused.success).toBe(false);
    expect(refused.error?.issues[0]?.path).toEqual(['uuid']);
    expect(SDKMessage.safeParse({ subtype: 'init' }).success).toBe(false);
    expect(SDKMessage.safeParse(null).success).toBe(false);
  });

  test('a user message needs no uuid, its replay does', () => {
    const user = { type: 'user', parent_tool_use_id: null, message: { role: 'user', content: 'hi' } };
    expect(SDKMessage.parse(user)).toEqual(user);
    expect(SDKMessage.safeParse({ ...user, isReplay: true }).success).toBe(false);
    expect(SDKMessage.safeParse({ ...user, ...line, isReplay: true }).success).toBe(true);
  });
});

test('a permission answer says allow or deny, and a denial says why', () => {
  expect(PermissionResult.safeParse({ behavior: 'allow' }).success).toBe(true);
  expect(PermissionResult.safeParse({ behavior: 'deny' }).success).toBe(false);
  expect(PermissionResult.safeParse({ behavior: 'maybe' }).success).toBe(false);
  expect(PermissionResult.safeParse(null).success).toBe(false);
});
