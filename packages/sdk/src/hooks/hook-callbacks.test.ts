import { hookEvents, type EventHook } from '@rondo/runtime';
import { expect, test } from 'vitest';
import type { HookCallback, HookCallbacks } from './hook-callback.ts';
import { compileHookCallbacks } from './hook-callbacks.ts';

const nothing: HookCallback = () => Promise.resolve(undefined);

function hookOf(callback: unknown): EventHook {
  const [hook] = compileHookCallbacks({ PreToolUse: [{ hooks: [callback as HookCallback] }] });
  if (hook === undefined) throw new Error('there is no hook');
  return hook;
}

const run = async (hook: EventHook, signal = new AbortController().signal, input = {}) =>
  await hook.run(input, { signal, hookId: 'h', toolUseId: 'call_1', progress: () => undefined, used: () => undefined });

test('names say event, place and matcher; timeouts are seconds', () => {
  const hooks = compileHookCallbacks({
    PreToolUse: [
      { hooks: [nothing] },
      { matcher: 'Bash|Edit', hooks: [nothing, nothing], timeout: 1.5, failOpen: true },
      { matcher: '', hooks: [nothing], timeout: 1e9 },
    ],
    Stop: [{ matcher: '*', hooks: [nothing] }],
  });
  expect(hooks.map(({ name, event, timeoutMs, failOpen }) => [name, event, timeoutMs, failOpen])).toEqual([
    ['PreToolUse/options[0].hooks[0]', 'PreToolUse', 60_000, undefined],
    ['PreToolUse/options[1].hooks[0](Bash|Edit)', 'PreToolUse', 1500, true],
    ['PreToolUse/options[1].hooks[1](Bash|Edit)', 'PreToolUse', 1500, true],
    ['PreToolUse/options[2].hooks[0]', 'PreToolUse', 2 ** 31 - 1, undefined],
    ['Stop/options[0].hooks[0](*)', 'Stop', 60_000, undefined],
  ]);
  expect(hooks[1]?.matches?.('Edit')).toBe(true);
  expect(hooks[1]?.matches?.('Read')).toBe(false);
});

test('every event takes hooks', () => {
  const callbacks = Object.fromEntries(hookEvents.map((event) => [event, [{ hooks: [nothing] }]]));
  expect(compileHookCallbacks(callbacks).map(({ event }) => event)).toEqual(hookEvents);
});

test('it is given a copy of the input, the ID of the call and a signal', async () => {
  const input = { tool_input: { command: 'ls' } };
  const calls: unknown[][] = [];
  const hook = hookOf((...parameters: unknown[]) => {
    calls.push(structuredClone(parameters.slice(0, 2)));
    expect(parameters[2]).toMatchObject({ signal: { aborted: false } });
    (parameters[0] as { tool_input: { command: string } }).tool_input.command = 'rm';
    return Promise.resolve({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny' } });
  });
  expect(await run(hook, undefined, input)).toMatchObject({ answer: { decision: 'deny' } });
  expect(calls).toEqual([[input, 'call_1']]);
  expect(input.tool_input.command).toBe('ls');
});

test('what it answers after its signal aborted counts for nothing, and one that never settles is let go', async () => {
  const allow = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' } };
  const deaf = new AbortController();
  const never = run(
    hookOf(() => new Promise(() => undefined)),
    deaf.signal,
  );
  deaf.abort();
  await expect(never).rejects.toThrow('aborted');
  const late = new AbortController();
  const onAbort = hookOf(
    (_input: unknown, _id: unknown, { signal }: { signal: AbortSignal }) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(allow))),
  );
  const answered = run(onAbort, late.signal);
  late.abort();
  await expect(answered).rejects.toThrow('aborted');
  const during = new AbortController();
  const aborting = hookOf(() => {
    during.abort();
    return Promise.resolve(allow);
  });
  await expect(run(aborting, during.signal)).rejects.toThrow('aborted');
  await expect(
    run(
      hookOf(() => allow),
      during.signal,
    ),
  ).rejects.toThrow('aborted');
});

test('a throw and a rejection are failures', async () => {
  const failing = [
    () => Promise.reject(new Error('broken')),
    () => {
      throw new Error('broken');
    },
  ];
  for (const callback of failing) await expect(run(hookOf(callback))).rejects.toThrow('broken');
});

test.each([
  [{ PreToolUs: [{ hooks: [nothing] }] }, 'options.hooks.PreToolUs is no event; PreToolUse is'],
  [{ PreToolUse: { hooks: [nothing] } }, 'options.hooks.PreToolUse takes a list'],
  [{ PreToolUse: [nothing] }, 'options.hooks.PreToolUse[0] takes'],
  [{ PreToolUse: [{ hooks: nothing }] }, 'options.hooks.PreToolUse[0] takes'],
  [{ PreToolUse: [{ hooks: ['ls'] }] }, 'options.hooks.PreToolUse[0] takes'],
  [{ PreToolUse: [{ matcher: /Bash/, hooks: [nothing] }] }, 'options.hooks.PreToolUse[0] takes'],
  [{ PreToolUse: [{ hooks: [nothing], timeout: 0 }] }, 'options.hooks.PreToolUse[0].timeout'],
  [{ PreToolUse: [{ hooks: [nothing], failOpen: 'yes' }] }, 'options.hooks.PreToolUse[0].failOpen'],
  [{ PreToolUse: [{ matcher: 'tool == "x"', hooks: [nothing] }] }, 'options.hooks.PreToolUse[0].matcher'],
  [{ PreToolUse: [{ matcher: '(', hooks: [nothing] }] }, 'options.hooks.PreToolUse[0].matcher'],
])('a mistake is refused at once, with its place: %#', (hooks, message) => {
  expect(() => compileHookCallbacks(hooks as unknown as HookCallbacks)).toThrow(message);
});
