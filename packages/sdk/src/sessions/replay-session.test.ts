import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { call, say, scriptedModel } from '@rondo/runtime/testing';
import { Agent, defineTool, skip } from '../agent.ts';
import type { AgentOptions } from '../agent/agent-options.ts';
import { replaySession } from './replay-session.ts';

let home = '';
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'rondo-replay-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const charge = defineTool({ name: 'charge', description: 'x', input: { type: 'object' }, run: () => 'charged' });

function clerk(more: Partial<AgentOptions> = {}): AgentOptions {
  return {
    name: 'clerk',
    model: scriptedModel([call('charge', { cents: 5 }), say('done')]),
    tools: [charge],
    home,
    ...more,
  };
}

async function record(options: AgentOptions): Promise<string> {
  const agent = new Agent(options);
  try {
    return (await agent.run('charge it')).sessionId;
  } finally {
    await agent.close();
  }
}

test('today’s agent decides again: its guardrails, its hooks, its policy', async () => {
  const sessionId = await record(clerk());
  const mode = 'behavioural';
  const same = await replaySession(sessionId, { home, mode, agent: clerk() });
  expect(same).toMatchObject({ changes: [], hookChanges: [], hookRuns: 0, decisions: 1 });
  const agent = clerk({
    instructions: 'You are more careful now.',
    guardrails: [{ name: 'limit', preToolCall: () => skip('not today') }],
    permissionPolicy: { default: 'deny', rules: [] },
  });
  const { divergence, changes, hookChanges } = await replaySession(sessionId, { home, mode, agent });
  expect(divergence).toBeUndefined();
  expect(hookChanges).toMatchObject([{ hook: 'limit', tool: 'charge', reason: 'new', today: { reason: 'not today' } }]);
  expect(changes).toMatchObject([{ tool: 'charge', recorded: { decision: 'allow' }, today: { source: 'limit' } }]);
  // Strictly, another agent is another request.
  expect((await replaySession(sessionId, { home, agent })).divergence).toMatchObject({ path: 'parts.system' });
});

test('the agent of a folder is the one that the log names', async () => {
  const sessionId = await record(clerk());
  const agents = join(home, 'agents');
  await mkdir(agents);
  await writeFile(join(agents, 'poet.mjs'), `export default { name: 'poet', model: 'anthropic/claude-sonnet-4-5' };`);
  await expect(replaySession(sessionId, { home, agents })).rejects.toMatchObject({
    code: 'input.invalid',
    message: expect.stringMatching(/The session's agent is "clerk"; .* has "poet"/) as string,
  });
  // It needs no key of its model's.
  await writeFile(join(agents, 'clerk.mjs'), `export default { name: 'clerk', model: 'anthropic/claude-sonnet-4-5' };`);
  expect((await replaySession(sessionId, { home, agents })).divergence).toMatchObject({ path: 'parts.tools' });
});

test('what a session runs with is said once, and where it is needed', async () => {
  const agent = clerk();
  await expect(replaySession('x', { home, agent, agents: home })).rejects.toThrow(/one of agent, agents and options/);
  await expect(replaySession('x', { home, mode: 'behavioural' })).rejects.toThrow(/takes agent, agents or options/);
});
