import { methods } from '@rondo/protocol';

export interface Place {
  readonly sessionId: string;
  readonly turnId: string;
  readonly bindingId: string;
}

const callbackId = '6ba7b810-9dad-41d1-80b4-00c04fd430c8';

/** A request of every method, with all that any of them takes: what a method does not know it leaves alone. */
export function sampleMessages({ sessionId, turnId, bindingId }: Place): readonly object[] {
  const params = {
    sessionId,
    turnId,
    bindingId,
    callbackId,
    protocolVersion: 1,
    unfinished: 'settle',
    title: 'a title',
    tag: null,
    permissionMode: 'plan',
    permissions: [{ type: 'setMode', mode: 'default', destination: 'session' }],
    content: [{ type: 'text', text: 'go', annotations: { audience: ['user'] } }],
    delivery: 'next',
    limits: { maxTurns: 3, maxBudgetUsd: 1.5 },
    answer: { type: 'allow', scope: 'once', updatedInput: { a: [1, { b: null }] } },
    subscriptionId: 'sub',
    deltas: true,
    limit: 3,
    hash: 'a'.repeat(64),
    offset: 0,
  };
  const requests = Object.keys(methods)
    // What takes the session away has nothing but its ID to get wrong.
    .filter((method) => method !== 'session/delete')
    .map((method) => ({ jsonrpc: '2.0', id: 1, method, params }));
  return [
    ...requests,
    { jsonrpc: '2.0', method: 'events/subscribe', params },
    { jsonrpc: '2.0', id: 1, result: { sessionId } },
    { jsonrpc: '2.0', id: null, error: { code: -32000, message: 'no', data: { code: 'internal' } } },
  ];
}
