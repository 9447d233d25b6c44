import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SDKUserMessage } from '@rondo/protocol';
import { startModelServer, text, toolCall } from '@rondo/providers/testing';
import { call, say, scriptedModel, type ScriptedStep } from '@rondo/runtime/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { query } from '../query.ts';
import { replaySession } from '../sessions/replay-session.ts';
import { collectMessages } from '../testing/collect-messages.ts';
import type { Options } from './options.ts';

let root = '';
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'rondo-told-'));
  await writeFile(join(root, 'a.txt'), 'a\n');
});
afterAll(() => rm(root, { recursive: true, force: true }));

let homes = 0;
function setUp(steps: readonly ScriptedStep[], more: Options = {}) {
  homes += 1;
  const model = scriptedModel(steps);
  const home = join(root, `home-${homes}`);
  const options: Options = { model, home, cwd: root, tools: ['Read'], env: {}, ...more };
  return { model, home, options };
}

const said = (request: { readonly messages: readonly object[] } | undefined): string =>
  JSON.stringify(request?.messages ?? []);
const times = (text: string, part: string): number => text.split(part).length - 1;
const read = call('Read', { file_path: 'a.txt' });

describe('taskBudget', () => {
  test('tells a model whose provider does not count what is left, before each request, and stops nothing', async () => {
    const usage = (outputTokens: number) => ({ do: 'usage', usage: { inputTokens: 100, outputTokens } }) as const;
    const steps = [[read, usage(300)], [read, usage(800)], say('done')];
    const { options, model, home } = setUp(steps, { taskBudget: { total: 1000 } });
    const lines = await collectMessages(query({ prompt: 'go', options }));
    expect(lines.at(-1)).toMatchObject({ subtype: 'success', result: 'done' });
    const [first, second, third] = model.requests.map(said);
    expect(first).toContain('Token budget of this task: 1000 tokens');
    expect(second).toContain('About 700 of the 1000 tokens');
    expect(third).toContain('The token budget of this task is used up');
    expect(times(third ?? '', 'Token budget of this task')).toBe(1);
    expect(await replaySession(lines[0]?.session_id ?? '', { home })).not.toHaveProperty('divergence');
  });

  test('is counted down by a provider that does so, from the least that it takes', async () => {
    const betas = ['task-budgets-2026-03-13'];
    for (const [total, native] of [
      [64_000, true],
      [10_000, false],
    ] as const) {
      await using server = await startModelServer({ script: [toolCall('Read', { file_path: 'a.txt' }), text('done')] });
      const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: server.url };
      const { options } = setUp([], { model: 'anthropic/claude-sonnet-5-5', env, betas, taskBudget: { total } });
      await collectMessages(query({ prompt: 'go', options }));
      for (const { body, text: asked } of server.requests) {
        const { output_config: config } = body as { output_config?: { task_budget?: unknown } };
        expect(config?.task_budget).toEqual(native ? { type: 'tokens', total } : undefined);
        expect(asked.includes('tokens of this task')).toBe(!native && server.requests[1]?.text === asked);
      }
    }
  });
});

describe('betas', () => {
  test('are sent to Anthropic and named in init', async () => {
    await using server = await startModelServer({ script: [text('hi')] });
    const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: server.url };
    const betas = ['context-1m-2025-08-07', 'some-other'];
    const { options } = setUp([], { model: 'anthropic/claude-sonnet-5-5', env, betas });
    const [init] = await collectMessages(query({ prompt: 'go', options }));
    expect(init).toMatchObject({ subtype: 'init', betas });
    expect(server.requests[0]?.headers['anthropic-beta']).toBe(betas.join(','));
  });

  test('have no effect elsewhere, which is said', async () => {
    const notes: string[] = [];
    const { options } = setUp([say('hi')], { betas: ['some'], stderr: (note) => void notes.push(note) });
    await collectMessages(query({ prompt: 'go', options }));
    expect(notes.join('\n')).toContain('options.betas has no effect with scripted/model');
  });
});

describe('plan mode', () => {
  test.each([
    [undefined, 'Work out a plan'],
    ['Draw a diagram first.', 'Draw a diagram first.'],
  ])('is told once, with %j as the way of working', async (planModeInstructions, told) => {
    const more = planModeInstructions === undefined ? {} : { planModeInstructions };
    const { options, model } = setUp([read, say('the plan'), say('more')], { permissionMode: 'plan', ...more });
    const [init] = await collectMessages(query({ prompt: 'go', options }));
    await collectMessages(query({ prompt: 'and?', options: { ...options, resume: init?.session_id ?? '' } }));
    for (const asked of model.requests.map(said)) {
      expect(times(asked, 'Plan mode is on.')).toBe(1);
      expect(asked).toContain(told);
      expect(asked.includes('Work out a plan')).toBe(planModeInstructions === undefined);
    }
  });

  test('is over when the mode is another, which is told once, and never said where it never was', async () => {
    const { options, model, home } = setUp([say('plan'), say('work'), say('more')], { permissionMode: 'plan' });
    const turns = Array.from({ length: 3 }, () => Promise.withResolvers<undefined>());
    const messages = (async function* (): AsyncGenerator<SDKUserMessage> {
      for (const content of ['plan it', 'do it', 'go on']) {
        yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
        await turns.shift()?.promise;
      }
    })();
    const waiting = [...turns];
    const running = query({ prompt: messages, options });
    let sessionId = '';
    for await (const line of running) {
      sessionId = line.session_id ?? sessionId;
      if (line.type !== 'result') continue;
      await running.setPermissionMode('default');
      waiting.shift()?.resolve(undefined);
    }
    const [first, second, third] = model.requests.map(said);
    expect(first).not.toContain('Plan mode is over');
    expect(times(second ?? '', 'Plan mode is over')).toBe(1);
    expect(times(third ?? '', 'Plan mode is over')).toBe(1);
    expect(await replaySession(sessionId, { home })).not.toHaveProperty('divergence');
  });
});

test.each<[keyof Options, unknown]>([
  ['taskBudget', { total: 0 }],
  ['taskBudget', 5000],
  ['betas', 'one'],
  ['planModeInstructions', ''],
  ['thinking', { type: 'adaptive', display: 'loud' }],
  ['thinking', { type: 'enabled', budgetTokens: -1 }],
])('%s: %j is refused by its name', (name, value) => {
  expect(() => query({ prompt: 'go', options: { [name]: value } })).toThrow(`options.${name} takes`);
});
