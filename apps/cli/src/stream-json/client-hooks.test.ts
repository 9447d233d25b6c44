import { expect, test } from 'vitest';
import { clientHooks } from './client-hooks.ts';
import { createClientRequests, type RequestFrame } from './client-requests.ts';

const { signal } = new AbortController();

function connect() {
  const sent: RequestFrame[] = [];
  const requests = createClientRequests((frame) => void sent.push(frame as RequestFrame));
  return { sent, requests };
}

const matchers = {
  PreToolUse: [
    { matcher: 'Bash', hookCallbackIds: ['a', 'b'], timeout: 5, failOpen: true },
    { matcher: null, hookCallbackIds: ['c'] },
  ],
  Stop: [{ hookCallbackIds: ['d'] }],
};

test('each callback ID is a function at its place, with what its matcher says', async () => {
  const { sent, requests } = connect();
  const { hooks } = clientHooks(matchers, requests);
  expect(hooks.PreToolUse).toMatchObject([{ matcher: 'Bash', timeout: 5, failOpen: true }, {}]);
  expect(hooks.PreToolUse?.[1]).not.toHaveProperty('matcher');
  const input = { hook_event_name: 'Stop' } as never;
  const answered = hooks.Stop?.[0]?.hooks[0]?.(input, undefined, { signal });
  expect(sent[0]?.request).toMatchObject({ subtype: 'hook_callback', callback_id: 'd', input });
  requests.answer({ response: { subtype: 'success', request_id: sent[0]?.request_id, response: { continue: true } } });
  expect(await answered).toEqual({ continue: true });
});

test('a client that starts again may name the same hooks otherwise, and no others', () => {
  const { sent, requests } = connect();
  const { hooks, renew } = clientHooks({ Stop: [{ hookCallbackIds: ['a'] }] }, requests);
  renew({ Stop: [{ hookCallbackIds: ['z'] }] });
  void hooks.Stop?.[0]?.hooks[0]?.({} as never, 'id', { signal });
  expect(sent[0]?.request).toMatchObject({ callback_id: 'z', tool_use_id: 'id' });
  expect(() => renew({ Stop: [{ matcher: 'x', hookCallbackIds: ['z'] }] })).toThrow('cannot change');
  expect(() => renew(undefined)).toThrow('cannot change');
});

test.each([7, { Stop: 7 }, { Stop: [7] }, { Stop: [{ hookCallbackIds: [7] }] }, { Stop: [{}] }])(
  'hooks of another shape are refused: %j',
  (wrong) => {
    expect(() => clientHooks(wrong, connect().requests)).toThrow('initialize.hooks');
  },
);

test('what the client answers too late, twice or with an error is told apart', async () => {
  const { sent, requests } = connect();
  const controller = new AbortController();
  const failing = requests.ask('hook_callback', {}, { whenGone: 'fails' });
  requests.answer({ response: { subtype: 'error', request_id: sent[0]?.request_id, error: 'it broke' } });
  await expect(failing).rejects.toThrow('it broke');
  const taken = requests.ask('hook_callback', {}, { whenGone: 'fails', signal: controller.signal });
  controller.abort();
  await expect(taken).rejects.toThrow('taken back');
  expect(sent.at(-1)).toEqual({ type: 'control_cancel_request', request_id: sent[1]?.request_id });
  requests.answer({ response: { subtype: 'success', request_id: sent[1]?.request_id, response: {} } });
  const [kept, lost] = [
    requests.ask('can_use_tool', {}, { whenGone: 'stays', id: 'q' }),
    requests.ask('mcp_message', {}, { whenGone: 'fails' }),
  ];
  const again = requests.ask('can_use_tool', {}, { whenGone: 'stays', id: 'q' });
  requests.end();
  await expect(lost).rejects.toThrow('the client is gone');
  await expect(requests.ask('hook_callback', {}, { whenGone: 'fails' })).rejects.toThrow('the client is gone');
  expect(requests.open('can_use_tool').map((frame) => frame.request_id)).toEqual(['q']);
  requests.answer({ response: { subtype: 'success', request_id: 'q', response: { behavior: 'allow' } } });
  expect(await Promise.all([kept, again])).toEqual([{ behavior: 'allow' }, { behavior: 'allow' }]);
  expect(sent.filter((frame) => frame.request_id === 'q')).toHaveLength(1);
});
