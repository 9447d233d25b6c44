import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Binding } from '@rondo/runtime';
import { call, say, scriptedModel } from '@rondo/runtime/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { HookInput } from '../hooks/hook-input.ts';
import { compileBinding } from '../options/compile-binding.ts';
import { leaseRuntime } from '../runtime/runtime-lease.ts';

// A busy machine takes its time with whole queries.
vi.setConfig({ testTimeout: 60_000 });

test('a subagent has a transcript of its own, which the hooks of its end are told of', async () => {
  const home = await mkdtemp(join(tmpdir(), 'rondo-subagent-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const told: { readonly own: string; readonly root: string }[] = [];
  const hook = (input: HookInput): Promise<object> => {
    if (input.hook_event_name === 'SubagentStop')
      told.push({
        own: readFileSync(input.agent_transcript_path, 'utf8'),
        root: readFileSync(input.transcript_path, 'utf8'),
      });
    return Promise.resolve({});
  };
  const model = scriptedModel([call('agents.spawn', { agent: 'helper', task: 'help me' }), say('helped'), say('back')]);
  const options = {
    model,
    home,
    cwd: home,
    tools: [],
    settingSources: [],
    env: {},
    hooks: { SubagentStop: [{ hooks: [hook] }] },
  };
  const lease = await leaseRuntime(home);
  try {
    const binding = await compileBinding(options, { env: {}, home, note: () => {} });
    const helper = { name: 'helper', description: 'Helps.', instructions: 'Help.' };
    const equipped = (own: Binding): Binding => ({ ...own, subagents: [helper] });
    const bindingId = lease.runtime.bind({
      ...equipped(binding),
      forTurn: async () => equipped((await binding.forTurn?.()) ?? binding),
    });
    const session = await lease.client.createSession({ bindingId });
    const turn = await session.startTurn('go');
    if (turn.type !== 'turn') throw new Error('the session is busy');
    await turn.result();
    const lines = (text: string) =>
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    const own = lines(told[0]?.own ?? '');
    expect(own.map(({ type }) => type)).toEqual(['user', 'assistant']);
    for (const line of own) expect(line).toMatchObject({ isSidechain: true, sessionId: session.id });
    expect(own[0]?.['agentId']).toMatch(/^[0-9a-f]{8}$/);
    expect(told[0]?.own).toContain('helped');
    const root = lines(told[0]?.root ?? '');
    expect(root.every((line) => line['isSidechain'] === false && line['agentId'] === undefined)).toBe(true);
    expect(told[0]?.root).not.toContain('helped');
  } finally {
    await lease.release();
  }
});
