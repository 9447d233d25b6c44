import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { call, say, scriptedModel } from '@rondo/runtime/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Agent, allowApproval, clientTool, defineTool } from '../agent.ts';
import type { Settings } from '../settings/settings.ts';
import type { AgentOptions } from './agent-options.ts';

let root = '';
const ran: string[] = [];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'rondo-managed-'));
  ran.length = 0;
  Reflect.set(globalThis, Symbol.for('rondo.managed-folder'), join(root, 'managed'));
});
afterEach(() => {
  Reflect.deleteProperty(globalThis, Symbol.for('rondo.managed-folder'));
  rmSync(root, { recursive: true, force: true });
});

function manage(content: Settings | string, name = 'managed-settings.json'): void {
  mkdirSync(join(root, 'managed', 'managed-settings.d'), { recursive: true });
  writeFileSync(join(root, 'managed', name), typeof content === 'string' ? content : JSON.stringify(content));
}

const tool = (name: string) =>
  defineTool({
    name,
    description: name,
    input: { type: 'object', properties: {} },
    run() {
      ran.push(name);
      return 'done';
    },
  });

/** An agent whose own policy allows everything. */
async function run(more: Partial<AgentOptions> = {}) {
  const options: AgentOptions = {
    model: scriptedModel([[call('deploy', {}), call('look', {})], say('done')]),
    tools: [tool('deploy'), tool('look')],
    store: 'memory',
    home: join(root, 'home'),
    cwd: root,
    env: {},
    ...more,
  };
  await using agent = new Agent(options);
  return await agent.run('go');
}

test('without an administrator’s policy everything is as the agent says', async () => {
  await run();
  expect(ran.toSorted()).toEqual(['deploy', 'look']);
});

test.each(['managed-settings.json', 'managed-settings.d/10-deploy.json'])(
  'what %s denies no agent does, whatever its own policy allows',
  async (name) => {
    manage({ permissions: { deny: ['deploy'] } }, name);
    await run({ permissionPolicy: { default: 'allow', rules: [{ tools: ['client.deploy'], decision: 'allow' }] } });
    expect(ran).toEqual(['look']);
  },
);

test('what it asks about is asked about', async () => {
  manage({ permissions: { ask: ['deploy'] } });
  const asked: string[] = [];
  await run({
    onApproval: (_, { tool: asking }) => {
      asked.push(asking.name);
      return allowApproval();
    },
  });
  expect(asked).toEqual(['deploy']);
  expect(ran.toSorted()).toEqual(['deploy', 'look']);
});

test('what it allows does not spare a question of the agent’s own', async () => {
  manage({ permissions: { allow: ['deploy', 'look'] } });
  const asked: string[] = [];
  await run({
    permissionMode: 'ask',
    onApproval: (_, { tool: asking }) => {
      asked.push(asking.name);
      return allowApproval();
    },
  });
  expect(asked.toSorted()).toEqual(['deploy', 'look']);
});

test('a session that is narrower than its agent has it too', async () => {
  manage({ permissions: { deny: ['deploy'] } });
  await using agent = new Agent({
    model: scriptedModel([[call('deploy', {}), call('look', {})], say('done')]),
    tools: [tool('deploy'), tool('look')],
    store: 'memory',
    home: join(root, 'home'),
    cwd: root,
    env: {},
    onApproval: () => allowApproval(),
  });
  const session = await agent.startSession({ agent: { permissionMode: 'ask' } });
  await session.run('go');
  expect(ran).toEqual(['look']);
});

test('settings of the person and of the folder are none of it', async () => {
  const settings = JSON.stringify({ permissions: { deny: ['deploy'] } });
  for (const folder of ['home', '.rondo', '.claude']) {
    mkdirSync(join(root, folder));
    writeFileSync(join(root, folder, 'settings.json'), settings);
  }
  await run();
  expect(ran.toSorted()).toEqual(['deploy', 'look']);
});

test.each(['{"permissions": {"deny": [', '', 'null'])('where it reads %j, nothing runs', async (content) => {
  manage(content);
  await expect(run()).rejects.toMatchObject({ code: 'input.invalid' });
  expect(ran).toEqual([]);
});

test('a rule that does not count as it is written is told', async () => {
  manage({ permissions: { denny: ['deploy'] } } as Settings);
  const told: string[] = [];
  const onWarning = ({ name, message }: Error) => void told.push(`${name}: ${message}`);
  process.on('warning', onWarning);
  await run();
  await new Promise(setImmediate);
  process.off('warning', onWarning);
  expect(told.join('\n')).toMatch(/^RondoWarning: .*did you mean deny/);
});

test('tools that clients run are under it', async () => {
  manage({ permissions: { deny: ['pay'] } });
  const pay = clientTool({
    name: 'pay',
    description: 'pays',
    inputSchema: { type: 'object', properties: {} },
  }).answer(() => {
    ran.push('pay');
    return 'paid';
  });
  await run({ model: scriptedModel([call('pay', {}), say('done')]), tools: [pay] });
  expect(ran).toEqual([]);
});
