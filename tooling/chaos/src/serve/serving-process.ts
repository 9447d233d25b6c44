import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { serveSocket } from '@rondo/host/node';
import { type Binding, compilePolicy, defineTool, type LoopHook, type Model, skip } from '@rondo/runtime';
import { createFileStore, createKernelOwners, createNodeRuntime, nodeFileSystem } from '@rondo/runtime/node';
import { call, refusingSandbox, say, scriptedModel, type ScriptedStep } from '@rondo/runtime/testing';
import { type Death, dyingFileSystem } from '../kill/dying-file-system.ts';

/** What the process is told, as JSON in its first argument. */
export interface ServingOptions {
  readonly folder: string;
  readonly death: Death;
  /** What the process has otherwise than the one that the session was started in. */
  readonly lacks?: 'hook' | 'tool' | 'folder';
}

/** What it prints: once it serves, with what became of sessions that were left; and when it ends by itself. */
export type ServingLine =
  | { readonly serving: readonly { readonly outcome: string; readonly missing?: readonly string[] }[] }
  | { readonly writes: number };

const { folder, death, lacks } = JSON.parse(process.argv[2] ?? '') as ServingOptions;
let writes = 0;
const home = join(folder, 'home');
const fileSystem = dyingFileSystem(nodeFileSystem, death, () => {
  writes += 1;
});

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

const look = defineTool({
  name: 'look',
  description: 'Looks, until there is something to see.',
  input: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
  effect: 'none',
  async run({ n }, { signal }) {
    while (!existsSync(join(folder, 'released'))) await pause(5, undefined, { signal });
    return `seen ${n}`;
  },
});

const peek = defineTool({
  name: 'peek',
  description: 'Looks where a person may not want it to.',
  input: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
  effect: 'none',
  run: ({ n }) => `peeked at ${n}`,
});

const charge = defineTool({
  name: 'charge',
  description: 'Must not happen twice.',
  input: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
  effect: 'once',
  run({ n }) {
    appendFileSync(join(folder, 'world'), `charge ${n}\n`);
    return `charged ${n}`;
  },
});

const guard: LoopHook = {
  name: 'guard',
  preToolCall: (_, { toolName, arguments: given }) =>
    toolName === 'charge' && given['n'] === 2 ? skip('Once is enough.') : undefined,
};

function binding(): Binding {
  const tools = lacks === 'tool' ? [look, peek] : [look, peek, charge];
  const cwd = lacks === 'folder' ? '/elsewhere' : '/work';
  return {
    agent: { name: 'story', fingerprint: 'story' },
    cwd,
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

function print(line: ServingLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

const store = createFileStore({ home, fileSystem, owners: createKernelOwners({ home }) });
const runtime = createNodeRuntime({ store });
runtime.bind(binding(), 'agent:story');
const recovered = await runtime.recover({ bindingIds: ['agent:story'] });
const served = await serveSocket(runtime, { path: join(folder, 'host.sock') });
print({
  serving: recovered.map(({ outcome, missing }) => ({ outcome, ...(missing === undefined ? {} : { missing }) })),
});
process.once('SIGTERM', () => {
  void (async () => {
    await served.close();
    await runtime.close();
    print({ writes });
  })();
});
