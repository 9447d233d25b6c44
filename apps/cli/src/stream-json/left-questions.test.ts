import { expect, test } from 'vitest';
import type { RequestFrame } from './client-requests.ts';
import { createAskingWatch, isBlockedBy } from './left-questions.ts';

const question = (toolUseId: string, agentId?: string): RequestFrame => ({
  type: 'control_request',
  request_id: `q-${toolUseId}`,
  request: { subtype: 'can_use_tool', tool_use_id: toolUseId, ...(agentId === undefined ? {} : { agent_id: agentId }) },
});

test('a turn is given up only when it does nothing but wait', () => {
  expect(isBlockedBy([question('a')], new Set(['a']))).toBe(true);
  expect(isBlockedBy([question('a'), question('b')], new Set(['b', 'a']))).toBe(true);
  expect(isBlockedBy([question('a')], new Set(['a', 'running']))).toBe(false);
  expect(isBlockedBy([], new Set())).toBe(false);
  expect(isBlockedBy([question('below', 'agent')], new Set(['the-agent-itself']))).toBe(true);
});

test('the questions that were left are waited for, and no longer than there is somebody to ask', async () => {
  const asked = new Set<string>();
  const over = Promise.withResolvers<void>();
  const watch = createAskingWatch({ isAsked: (id) => asked.has(id), over: over.promise });
  await watch.untilAsked([]);
  let isDone = false;
  const left = ['a', 'b'].map((id) => ({ id, toolUseId: id }));
  const waiting = watch.untilAsked(left).then(() => (isDone = true));
  asked.add('a');
  watch.look();
  await Promise.resolve();
  expect(isDone).toBe(false);
  asked.add('b');
  watch.look();
  await waiting;
  asked.clear();
  const never = watch.untilAsked(left);
  over.resolve();
  await never;
});
