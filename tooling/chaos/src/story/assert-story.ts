import assert from 'node:assert/strict';
import type { AnyEvent, ToolCompleted } from '@rondo/protocol';
import { countEffects, type World } from './world.ts';

/** Every call that a message of the log has, has one result in the log. */
export function assertEveryCallHasOneResult(events: readonly AnyEvent[]): void {
  const results = completedCalls(events).map(({ callId }) => callId);
  assert.equal(new Set(results).size, results.length, `a call has two results: ${results.join(', ')}`);
  for (const event of events) {
    if (event.type !== 'entry.completed' || event.entry.type !== 'assistant') continue;
    for (const [index, block] of event.entry.content.entries()) {
      if (block.type !== 'tool_call') continue;
      const callId = `${event.entry.id}#${index}`;
      assert.ok(results.includes(callId), `${block.name} ${callId} has no result`);
    }
  }
}

/** What the log says of the calls is what happened in the world. */
export function assertEffects(events: readonly AnyEvent[], world: World): void {
  for (const { what, idempotencyKey } of world.effects()) {
    if (!what.startsWith('put')) assert.equal(countEffects(world, what), 1, `${what} happened more than once`);
    const keys = world.effects().filter((effect) => effect.what === what && effect.idempotencyKey !== idempotencyKey);
    assert.deepEqual(keys, [], `${what} happened again under another key`);
  }
  const inputs = callInputs(events);
  for (const { callId, name, outcome } of completedCalls(events)) {
    if (name === 'look' || name === 'agents.spawn') continue;
    const what = `${name} ${inputs.get(callId)}`;
    const happened = countEffects(world, what);
    if (outcome === 'success') assert.ok(happened > 0, `${what} is told as done and was not`);
    if (outcome === 'not_started') assert.equal(happened, 0, `${what} is told as not begun and was done`);
    assert.match(outcome, /^(success|unknown|not_started)$/, `${what} ended so: ${outcome}`);
  }
}

function completedCalls(events: readonly AnyEvent[]): ToolCompleted[] {
  return events.filter((event) => event.type === 'tool.completed');
}

/** The order number of each call. */
function callInputs(events: readonly AnyEvent[]): Map<string, string> {
  const inputs = new Map<string, string>();
  for (const event of events) {
    if (event.type !== 'entry.completed' || event.entry.type !== 'assistant') continue;
    for (const [index, block] of event.entry.content.entries()) {
      if (block.type !== 'tool_call') continue;
      const { n } = block.input as { readonly n: number };
      inputs.set(`${event.entry.id}#${index}`, String(n));
    }
  }
  return inputs;
}
