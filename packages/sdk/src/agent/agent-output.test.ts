import { startModelServer, text, toolCall } from '@rondo/providers/testing';
import { say, scriptedModel } from '@rondo/runtime/testing';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Agent, defineTool } from '../agent.ts';
import type { AgentOptions } from './agent-options.ts';

const verdict = z.object({ shipped: z.boolean(), days: z.number().int().min(0) });
const asked = {
  type: 'object',
  properties: { shipped: { type: 'boolean' }, days: { type: 'integer' } },
  required: ['shipped', 'days'],
  additionalProperties: false,
};
const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: z.object({}),
  effect: 'none',
  run: () => 'it is on its way',
});
const own = { store: 'memory', tools: [look], instructions: 'Judge.' } as const;

interface Wire {
  readonly model: string;
  readonly env: (url: string) => Readonly<Record<string, string>>;
  readonly format: object;
}

const wires: readonly Wire[] = [
  {
    model: 'anthropic/claude-sonnet-5-5',
    env: (url) => ({ ANTHROPIC_API_KEY: 'sk-ant-0123456789', ANTHROPIC_BASE_URL: url }),
    format: { output_config: { format: { type: 'json_schema', schema: asked } } },
  },
  {
    model: 'openai/gpt-6.2-sol',
    env: (url) => ({ OPENAI_API_KEY: 'sk-0123456789', OPENAI_BASE_URL: url }),
    format: { text: { format: { type: 'json_schema', name: 'output', strict: true, schema: asked } } },
  },
];

describe.each(wires)('$model', ({ model, env, format }) => {
  test('is held to the agent’s output type in every request, and what it says is parsed', async () => {
    const script = [toolCall('look', {}), text('{"shipped":true,"days":2}'), text('{"shipped":true,"days":-1}')];
    await using server = await startModelServer({ script });
    await using agent = new Agent({ ...own, model, env: env(server.url), outputType: verdict });
    const session = await agent.startSession();
    expect(await session.run('Is it?')).toMatchObject({ output: { shipped: true, days: 2 } });
    const misfit = await session.run('And now?');
    expect(misfit).toMatchObject({
      type: 'completed',
      output: { type: 'invalidOutput', text: '{"shipped":true,"days":-1}' },
    });
    expect(server.requests).toHaveLength(3);
    for (const { body } of server.requests) expect(body).toMatchObject(format);
  });

  test('is held to the output type of a run, and not to that of a session’s run, which only parses', async () => {
    const script = [text('{"shipped":false,"days":0}'), text('{"shipped":false,"days":0}'), text('plain')];
    await using server = await startModelServer({ script });
    await using agent = new Agent({ ...own, model, env: env(server.url) });
    const output = { shipped: false, days: 0 };
    expect(await agent.run('?', { outputType: verdict })).toMatchObject({ output });
    const session = await agent.startSession();
    expect(await session.run('?', { outputType: verdict })).toMatchObject({ output });
    expect(await agent.run('?')).toMatchObject({ output: 'plain' });
    const [constrained, ...others] = server.requests.map(({ body }) => body);
    expect(constrained).toMatchObject(format);
    for (const body of others) expect(body).not.toMatchObject(format);
  });
});

describe('an output type that the model cannot be asked with', () => {
  const plain = { '~standard': { version: 1, vendor: 'tiny', validate: (value: unknown) => ({ value }) } } as const;
  const model = scriptedModel([say('{}'), say('1')]);
  const options: AgentOptions = { model, store: 'memory' };

  test('is refused with the way on, by the agent and by a run, before anything is asked', async () => {
    expect(() => new Agent({ ...options, outputType: plain })).toThrow(
      /^outputType: schemas of tiny do not say their JSON Schema.*session\.run or turn\.result/,
    );
    expect(() => new Agent({ ...options, outputType: z.object({ at: z.date() }) })).toThrow(
      /^outputType cannot be said as JSON Schema \(.*Date.*\); use types that JSON has/,
    );
    await using agent = new Agent(options);
    await expect(agent.run('?', { outputType: plain })).rejects.toBeInstanceOf(TypeError);
    await expect(agent.run('?', { outputType: 7 as never })).rejects.toThrow(/must be a Standard Schema/);
    expect(model.requests).toHaveLength(0);
  });

  test('still parses what a session’s run said', async () => {
    await using agent = new Agent(options);
    const session = await agent.startSession();
    expect(await session.run('?', { outputType: plain })).toMatchObject({ output: {} });
    expect(model.requests[0]).not.toHaveProperty('output');
  });
});
