import assert from 'node:assert/strict';
import type { AnyEvent } from '@rondo/protocol';
import type { HookContext, LoopHook } from '@rondo/runtime';

/** Judges every call and every reply, and keeps how often it did. */
export function storyHook(): LoopHook {
  const count = (context: HookContext): void => {
    const before = (context.state?.value ?? 0) as number;
    context.uuid();
    context.keep({ type: 'runs', value: before + 1 });
  };
  return { name: 'counting', postLlmCall: count, preToolCall: count };
}

/** Each thing was judged once, whatever happened in between, and nothing that the hook kept was lost. */
export function assertJudgedOnce(events: readonly AnyEvent[]): void {
  const judged = new Map<string, Set<string>>();
  for (const event of events) {
    if (event.type !== 'hook.completed' || event.outcome['type'] === 'interrupted') continue;
    let hooks = judged.get(event.sessionId);
    if (hooks === undefined) judged.set(event.sessionId, (hooks = new Set()));
    assert.ok(!hooks.has(event.hookId), `${event.hookId} was decided twice`);
    hooks.add(event.hookId);
    assert.equal(event.state?.value, hooks.size, `what was kept is lost at ${event.hookId}`);
  }
  for (const event of events) {
    if (event.type !== 'tool.started') continue;
    const hookId = `preToolCall/${event.callId}/counting`;
    assert.ok(judged.get(event.sessionId)?.has(hookId), `${event.name} ${event.callId} ran unjudged`);
  }
}
