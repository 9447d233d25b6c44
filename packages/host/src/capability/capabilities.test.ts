import type { Frame, MethodParams } from '@rondo/protocol';
import { type Binding, createMemoryStore, createRuntime, type HookContext } from '@rondo/runtime';
import { scriptedModel, sha256, temporaryBinding } from '@rondo/runtime/testing';
import { expect, test } from 'vitest';
import { unboundPrincipal } from '../access/principal.ts';
import { createCapabilities } from './capabilities.ts';

const ID = '3f2b1c4d-5e6f-4a7b-8c9d-0e1f2a3b4c5d';
const guard = { name: 'guard', points: ['preToolCall' as const] };

async function scene() {
  const temporary = await temporaryBinding({ model: scriptedModel([]), tools: [] });
  const runtime = createRuntime({ store: createMemoryStore(), sha256 });
  const baseId = runtime.bind(temporary.binding);
  return {
    runtime,
    baseId,
    connect(name: string, folders?: readonly string[]) {
      const sent: Frame[] = [];
      const link = {
        send: (frame: Frame) => sent.push(frame),
        room: () => undefined,
        unwritten: () => 0,
        mostEvents: 1,
      };
      const principal = { ...unboundPrincipal(name), ...(folders === undefined ? {} : { folders }) };
      const capabilities = createCapabilities({ runtime, link, principal });
      const bind = (params: Partial<MethodParams<'capability/bind'>> = {}) =>
        capabilities.bind({ bindingId: baseId, newBindingId: ID, hooks: [guard], ...params });
      return { ...capabilities, bind, sent };
    },
    async [Symbol.asyncDispose]() {
      await runtime.close();
      await temporary[Symbol.asyncDispose]();
    },
  };
}

/** What a turn does at the hook's point. */
function runHook(binding: Binding | undefined) {
  const hook = binding?.hooks?.find(({ name }) => name === 'guard');
  const context = { sessionId: 's', turnId: 't', point: 'preToolCall', signal: new AbortController().signal };
  return Promise.resolve(hook?.preToolCall?.(context as HookContext, { toolName: 'act' } as never));
}

test('a derived binding is its principal’s own, and no binding of the host’s can be replaced by one', async () => {
  await using at = await scene();
  const alice = at.connect('alice');
  const mallory = at.connect('mallory');
  expect(alice.bind()).toEqual({ bindingId: ID });
  expect(() => alice.requireOwn(ID)).not.toThrow();
  expect(() => at.connect('alice').requireOwn(ID)).not.toThrow();
  expect(() => mallory.requireOwn(ID)).toThrow(expect.objectContaining({ code: 'binding.not_found' }));
  expect(() => mallory.bind()).toThrow(expect.objectContaining({ code: 'input.invalid' }));
  const taken = at.runtime.bind(at.runtime.binding(at.baseId) as Binding);
  expect(() => mallory.bind({ newBindingId: taken })).toThrow(expect.objectContaining({ code: 'input.invalid' }));
  expect(at.runtime.binding(taken)?.hooks).toBeUndefined();
});

test('nothing is derived from a binding of a folder that the principal may not use', async () => {
  await using at = await scene();
  const denied = expect.objectContaining({ code: 'access.denied' });
  expect(() => at.connect('bob', ['/nowhere']).bind()).toThrow(denied);
  expect(at.runtime.binding(ID)).toBeUndefined();
});

test('a connection has 64 bindings at most, and they are gone with it', async () => {
  await using at = await scene();
  const alice = at.connect('alice');
  const made = Array.from({ length: 64 }, () => alice.bind({ newBindingId: undefined }).bindingId);
  expect(() => alice.bind()).toThrow(expect.objectContaining({ code: 'protocol.queue_full' }));
  alice.abandon();
  expect(made.filter((id) => at.runtime.binding(id) !== undefined)).toEqual([]);
});

test('who binds again over another connection is asked what waits for the first, whose end then takes nothing away', async () => {
  await using at = await scene();
  const first = at.connect('alice');
  const second = at.connect('alice');
  first.bind();
  const deciding = runHook(at.runtime.binding(ID));
  expect(first.sent).toMatchObject([{ method: 'capability/call', params: { name: 'guard', point: 'preToolCall' } }]);
  second.bind();
  first.abandon();
  await Promise.resolve();
  const [request] = second.sent;
  if (request === undefined || !('id' in request) || request.id === null) throw new Error('nothing was asked');
  first.take({ jsonrpc: '2.0', id: request.id, result: { decision: { type: 'continue' } } });
  second.take({ jsonrpc: '2.0', id: request.id, result: { decision: { type: 'skip', reason: 'No.' } } });
  expect(await deciding).toMatchObject({ type: 'skip', reason: 'No.' });
  expect(at.runtime.binding(ID)).toBeDefined();
});

test('customized sessions keep the hooks', async () => {
  await using at = await scene();
  const base = at.runtime.binding(at.baseId) as Binding;
  const customizable = at.runtime.bind({ ...base, customize: () => ({ ...base, system: 'Be brief.' }) });
  at.connect('alice').bind({ bindingId: customizable });
  const customized = await at.runtime.binding(ID)?.customize?.({ instructions: 'Be brief.' });
  expect(customized).toMatchObject({ system: 'Be brief.', hooks: [{ name: 'guard' }] });
});
