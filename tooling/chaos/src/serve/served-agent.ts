import { type Binding, compilePolicy, defineTool, type LoopHook, type Model, skip } from '@rondo/runtime';
import { call, refusingSandbox, say, scriptedModel, type ScriptedStep } from '@rondo/runtime/testing';

/** The ID under which every host of the story has its agent. */
export const bindingId = 'agent:story';

/** What tools see of the world, and do to it. */
export interface ServedWorld {
  /** Resolves when there is something to see. */
  untilReleased(signal: AbortSignal): Promise<void>;
  charge(n: number): void;
}

/** What a host may have otherwise than the one that the session was started in. */
export type Lacking = 'hook' | 'tool' | 'folder';

/** An agent, a call that must not happen twice, one that the hook forbids, and the end. */
const replies: readonly ScriptedStep[] = [
  [say('I ask for help.'), call('agents.spawn', { agent: 'helper', task: 'help' }, 'spawn-1')],
  call('charge', { n: 1 }, 'charge-1'),
  call('charge', { n: 2 }, 'charge-2'),
  say('done'),
];

/** Three calls that are in flight until they are released, and one that a person is asked about meanwhile. */
const helperReplies: readonly ScriptedStep[] = [
  [...[1, 2, 3].map((n) => call('look', { n }, `look-${n}`)), call('peek', { n: 4 }, 'peek-4')],
  say('helped'),
];

/** Where the story is depends on the conversation alone, so that a request that is sent again gets the same. */
const model: Model = {
  name: 'scripted/model',
  stream(request, options) {
    const step = request.messages.filter(({ role }) => role === 'assistant').length;
    const script = request.system === 'You help.' ? helperReplies : replies;
    return scriptedModel([script[step] ?? say('done')]).stream(request, options);
  },
};

const input = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const;

const guard: LoopHook = {
  name: 'guard',
  preToolCall: (_, { toolName, arguments: given }) =>
    toolName === 'charge' && given['n'] === 2 ? skip('Once is enough.') : undefined,
};

/** The agent of the story as a host has it. */
export function servedAgent(world: ServedWorld, lacks?: Lacking): Binding {
  const look = defineTool({
    name: 'look',
    description: 'Looks, until there is something to see.',
    input,
    effect: 'none',
    async run({ n }, { signal }) {
      await world.untilReleased(signal);
      return `seen ${n}`;
    },
  });
  const peek = defineTool({
    name: 'peek',
    description: 'Looks where a person may not want it to.',
    input,
    effect: 'none',
    run: ({ n }) => `peeked at ${n}`,
  });
  const charge = defineTool({
    name: 'charge',
    description: 'Must not happen twice.',
    input,
    effect: 'once',
    run({ n }) {
      world.charge(n);
      return `charged ${n}`;
    },
  });
  const tools = lacks === 'tool' ? [look, peek] : [look, peek, charge];
  return {
    agent: { name: 'story', fingerprint: 'story' },
    cwd: lacks === 'folder' ? '/elsewhere' : '/work',
    model,
    system: 'You live a story.',
    tools,
    hooks: lacks === 'hook' ? [] : [guard],
    policy: compilePolicy({ directories: ['/work'], tools, allowedTools: ['look', 'charge', 'agents.spawn'] }),
    unattended: 'wait',
    sandbox: refusingSandbox,
    env: {},
    subagents: [{ name: 'helper', description: 'Helps.', instructions: 'You help.', tools: [look, peek] }],
  };
}
