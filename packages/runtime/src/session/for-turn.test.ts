import { expect, test } from 'vitest';
import { recordingTool } from '../testing/recording-tool.ts';
import { scriptedModel } from '../testing/scripted-model.ts';
import { call, say } from '../testing/scripted-step.ts';
import { sceneBinding, sessionScene } from '../testing/session-scene.ts';
import type { Tool } from '../tool/tool.ts';
import type { Binding } from '../turn/binding.ts';

/** The tool, with more said of it. */
function described(tool: Tool, more: Partial<Tool>): Tool {
  return Object.create(tool, Object.getOwnPropertyDescriptors(more)) as Tool;
}

const mcp = (name: string): Tool => described(recordingTool({ name }), { kind: 'mcp' });

test('a turn works with what there is when it begins, is named so, and says what is new', async () => {
  const model = scriptedModel([say('one'), call('mcp__s__b'), say('two')]);
  const tools = [mcp('mcp__s__b')];
  const base = sceneBinding({ model, tools });
  const equipped: Partial<Binding>[] = [
    { tools: [], mcpServers: [{ name: 's', status: 'failed', tools: [] }], notices: ['s has failed'] },
    { tools, mcpServers: [{ name: 's', status: 'connected', tools: ['mcp__s__b'] }] },
  ];
  const scene = await sessionScene({
    model,
    tools,
    binding: {
      mcpServers: [{ name: 's', status: 'pending', tools: [] }],
      forTurn: () => ({ ...base, ...equipped.shift() }),
    },
  });
  await scene.run('go');
  await scene.run('again');
  expect(model.requests.map((request) => request.tools.map(({ name }) => name))).toEqual([
    [],
    ['mcp__s__b'],
    ['mcp__s__b'],
  ]);
  const events = await scene.events();
  const records = events.flatMap((event) => ('binding' in event ? [event.binding] : []));
  expect(records).toMatchObject([
    { tools: [], mcpServers: ['s'], mcp: [{ name: 's', status: 'pending' }] },
    { tools: [], mcpServers: ['s'], mcp: [{ name: 's', status: 'failed', tools: [] }] },
    { tools: [], mcpServers: ['s'], mcp: [{ name: 's', status: 'connected', tools: ['mcp__s__b'] }] },
  ]);
  const begun = events.findIndex(({ type }) => type === 'turn.started');
  expect(events[begun + 2]).toMatchObject({ type: 'notice', level: 'warning', message: 's has failed' });
});

test('messages that wait begin their turn with what there is then', async () => {
  const model = scriptedModel([call('first'), say('one'), say('two')]);
  let turns = 0;
  const late = recordingTool({ name: 'late' });
  const scene: Awaited<ReturnType<typeof sessionScene>> = await sessionScene({
    model,
    tools: [
      recordingTool({
        name: 'first',
        results: [
          async () => {
            await scene.send('later', { delivery: 'later' });
            return 'ok';
          },
        ],
      }),
    ],
    binding: {
      forTurn: () => {
        turns += 1;
        return turns === 1 ? scene.binding : { ...scene.binding, tools: [late] };
      },
    },
  });
  const first = await scene.start('go');
  await scene.until((event) => event.type === 'turn.ended' && event.turnId !== first);
  expect(model.requests.at(-1)?.tools.map(({ name }) => name)).toEqual(['late']);
});

test('a tool whose calls may run beside others runs beside them, and each is stored before it runs', async () => {
  const both = Promise.withResolvers<void>();
  let running = 0;
  const beside = async (): Promise<string> => {
    running += 1;
    if (running === 2) both.resolve();
    await both.promise;
    return 'ok';
  };
  const tool = described(recordingTool({ name: 'peek', effect: 'once', results: [beside, beside] }), {
    concurrent: true,
  });
  const model = scriptedModel([[call('peek'), call('peek')], say('done')]);
  const scene = await sessionScene({ model, tools: [tool] });
  expect(await scene.run('go')).toMatchObject({ type: 'completed' });
  const types = (await scene.events())
    .map(({ type }) => type)
    .filter((type) => /^tool\.(started|completed)$/.test(type));
  expect(types).toEqual(['tool.started', 'tool.started', 'tool.completed', 'tool.completed']);
});

test('a tool called by another of its names is the one that runs', async () => {
  const tool = recordingTool({ name: 'mcp__s__bash' });
  const builtin = recordingTool({ name: 'Bash' });
  const model = scriptedModel([[call('Bash', { n: 1 }), call('constructor')], say('done')]);
  const scene = await sessionScene({
    model,
    tools: [tool, builtin],
    binding: { toolAliases: { Bash: 'mcp__s__bash' } },
  });
  await scene.run('go');
  expect(tool.calls).toMatchObject([{ input: { n: 1 } }]);
  expect(builtin.calls).toEqual([]);
});
