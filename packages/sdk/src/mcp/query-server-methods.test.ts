import { call, say } from '@rondo/runtime/testing';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { query } from '../query.ts';
import { callResults, mcpStage, userSays } from '../testing/mcp-stage.ts';
import { createSdkMcpServer } from './create-sdk-mcp-server.ts';
import { tool } from './tool.ts';

const { setUp } = await mcpStage();

const text = (said: string) => ({ content: [{ type: 'text' as const, text: said }] });

function server(name: string) {
  const add = tool('add', `Adds, by ${name}`, { a: z.number() }, async ({ a }) => text(`${name} ${a + 1}`), {
    annotations: { readOnlyHint: true, destructiveHint: false },
  });
  return createSdkMcpServer({ name, version: '3.0.0', tools: [add] });
}

/** A prompt whose messages are said one by one, and the lines of each turn. */
function conversation(options: Parameters<typeof query>[0]['options'] & object) {
  const waiting: ((text: string | undefined) => void)[] = [];
  async function* prompt() {
    for (;;) {
      const said = await new Promise<string | undefined>((resolve) => waiting.push(resolve));
      if (said === undefined) return;
      yield userSays(said);
    }
  }
  const working = query({ prompt: prompt(), options });
  const next = async (): Promise<(said: string | undefined) => void> => {
    while (waiting.length === 0) await new Promise((resolve) => setImmediate(resolve));
    return waiting.shift() ?? (() => {});
  };
  return {
    working,
    async turn(said: string) {
      (await next())(said);
      const lines = [];
      for (;;) {
        const { done, value } = await working.next();
        if (done === true) return lines;
        lines.push(value);
        if (value.type === 'result') return lines;
      }
    },
    async end() {
      (await next())(undefined);
      expect((await working.next()).done).toBe(true);
    },
  };
}

describe('mcpServerStatus()', () => {
  test('says of each server how it stands, who it is and what tools it has', async () => {
    const broken = { connect: () => Promise.reject(new Error('no room')), close: async () => {} };
    const { options } = setUp([say('done')], {
      mcpServers: { calc: server('calc'), broken: { type: 'sdk', name: 'broken', instance: broken } },
    });
    const { working, turn, end } = conversation(options);
    expect(await working.mcpServerStatus()).toEqual([
      {
        name: 'calc',
        status: 'connected',
        config: { type: 'sdk', name: 'calc' },
        scope: 'dynamic',
        serverInfo: { name: 'calc', version: '3.0.0' },
        tools: [{ name: 'add', description: 'Adds, by calc', annotations: { readOnly: true, destructive: false } }],
      },
      {
        name: 'broken',
        status: 'failed',
        error: 'no room',
        config: { type: 'sdk', name: 'broken' },
        scope: 'dynamic',
      },
    ]);
    await turn('go');
    await end();
  });

  test('has nothing to say where there are none', async () => {
    const { options } = setUp([]);
    const { working, end } = conversation(options);
    expect(await working.mcpServerStatus()).toEqual([]);
    await end();
  });
});

describe('setMcpServers()', () => {
  test('counts from the next turn on, and says what came of it', async () => {
    const { options, model } = setUp([say('one'), call('mcp__b__add', { a: 1 }), say('two'), say('three')], {
      mcpServers: { a: server('a') },
      allowedTools: ['mcp__a', 'mcp__b'],
    });
    const { working, turn, end } = conversation(options);
    await turn('go');
    const result = await working.setMcpServers({
      b: server('b'),
      later: { type: 'http', url: 'https://x.test' },
    });
    expect(result).toMatchObject({
      added: ['b'],
      removed: ['a'],
      errors: { later: expect.stringContaining('a later version') },
    });
    const lines = await turn('go');
    expect(lines[0]).toMatchObject({ tools: ['mcp__b__add'], mcp_servers: [{ name: 'b', status: 'connected' }] });
    expect(callResults(lines)).toMatchObject([{ content: 'b 2' }]);
    expect(await working.setMcpServers({})).toEqual({ added: [], removed: ['b'], errors: {} });
    const last = await turn('go');
    expect(last[0]).toMatchObject({ tools: [], mcp_servers: [] });
    await end();
    expect(model.requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([
      ['mcp__a__add'],
      ['mcp__b__add'],
      ['mcp__b__add'],
      [],
    ]);
  });

  test('leaves the turn at work what it began with', async () => {
    const asked = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const slow = tool('slow', '', {}, async () => {
      asked.resolve();
      await go.promise;
      return text('slow');
    });
    const { options } = setUp([call('mcp__a__slow'), call('mcp__a__slow'), say('done')], {
      mcpServers: { a: createSdkMcpServer({ name: 'a', tools: [slow] }) },
      allowedTools: ['mcp__a'],
    });
    const { working, turn, end } = conversation(options);
    const lines = turn('go');
    await asked.promise;
    expect(await working.setMcpServers({})).toMatchObject({ removed: ['a'] });
    go.resolve();
    expect(callResults(await lines)).toMatchObject([{ content: 'slow' }, { content: 'slow' }]);
    await end();
  });

  test('keeps a server that is named again, and takes a new one of an old name', async () => {
    const a = server('a');
    const { options } = setUp([], { mcpServers: { a } });
    const { working, end } = conversation(options);
    expect(await working.setMcpServers({ a })).toEqual({ added: [], removed: [], errors: {} });
    expect(await working.setMcpServers({ a: server('a') })).toEqual({ added: ['a'], removed: ['a'], errors: {} });
    await end();
  });

  test('brings a query its first servers', async () => {
    const { options } = setUp([call('mcp__a__add', { a: 1 }), say('done')], { allowedTools: ['mcp__a'] });
    const { working, turn, end } = conversation(options);
    expect(await working.setMcpServers({ a: server('a') })).toMatchObject({ added: ['a'] });
    expect(callResults(await turn('go'))).toMatchObject([{ content: 'a 2' }]);
    await end();
  });

  test('names a server whose tools would have another’s names, and one that does not answer', async () => {
    const { options } = setUp([]);
    const { working, end } = conversation(options);
    const broken = { connect: () => Promise.reject(new Error('no room')), close: async () => {} };
    const servers = { 'a b': server('a'), a_b: server('a'), c: { type: 'sdk' as const, name: 'c', instance: broken } };
    expect(await working.setMcpServers(servers)).toEqual({
      added: ['a b', 'a_b', 'c'],
      removed: [],
      errors: { a_b: expect.stringContaining('named like those of the server a b'), c: 'no room' },
    });
    await end();
  });
});

describe('toggleMcpServer()', () => {
  test('takes a server away at once, and brings it back for the next turn', async () => {
    const { options, model } = setUp([say('one'), say('two'), call('mcp__a__add', { a: 1 }), say('three')], {
      mcpServers: { a: server('a') },
      allowedTools: ['mcp__a'],
    });
    const { working, turn, end } = conversation(options);
    await turn('go');
    await working.toggleMcpServer('a', false);
    expect(await working.mcpServerStatus()).toMatchObject([{ name: 'a', status: 'disabled' }]);
    expect((await turn('go'))[0]).toMatchObject({ tools: [], mcp_servers: [{ name: 'a', status: 'disabled' }] });
    await expect(working.reconnectMcpServer('a')).rejects.toThrow(/disabled/);
    await working.toggleMcpServer('a', true);
    await working.toggleMcpServer('a', true);
    expect(callResults(await turn('go'))).toMatchObject([{ content: 'a 2' }]);
    await end();
    expect(model.requests.map(({ tools }) => tools.length)).toEqual([1, 0, 1, 1]);
  });
});

describe('reconnectMcpServer()', () => {
  test('reaches a server that had failed', async () => {
    const good = server('a').instance;
    let isUp = false;
    const instance = {
      connect: async (transport: Parameters<typeof good.connect>[0]) => {
        if (!isUp) throw new Error('no room');
        await good.connect(transport);
      },
      close: () => good.close(),
    };
    const { options } = setUp([call('mcp__a__add', { a: 1 }), say('done')], {
      mcpServers: { a: { type: 'sdk', name: 'a', instance } },
      allowedTools: ['mcp__a'],
    });
    const { working, turn, end } = conversation(options);
    await expect(working.reconnectMcpServer('a')).rejects.toMatchObject({
      code: 'mcp.server_failed',
      message: /no room/,
    });
    isUp = true;
    await working.reconnectMcpServer('a');
    expect(await working.mcpServerStatus()).toMatchObject([{ status: 'connected' }]);
    expect(callResults(await turn('go'))).toMatchObject([{ content: 'a 2' }]);
    await good.close();
    expect(await working.mcpServerStatus()).toMatchObject([
      { status: 'failed', error: expect.stringMatching(/closed/) },
    ]);
    await end();
  });
});

test.each([[{}], [{ mcpServers: { a: server('a') } }]])(
  'a server that is not there is named, with %j',
  async (more) => {
    const { options } = setUp([], more);
    const { working, end } = conversation(options);
    const unknown = { code: 'mcp.server_not_found', message: 'Server not found: X' };
    await expect(working.reconnectMcpServer('X')).rejects.toMatchObject(unknown);
    await expect(working.toggleMcpServer('X', false)).rejects.toMatchObject(unknown);
    await end();
  },
);
