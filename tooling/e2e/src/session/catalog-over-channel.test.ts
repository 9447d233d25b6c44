import { defineTool } from '@rondo/runtime';
import { scriptedModel } from '@rondo/runtime/testing';
import { describe, expect, test } from 'vitest';
import { stage } from './session-stage.ts';
import { wires } from './wires.ts';

const order = defineTool({
  name: 'get_order',
  title: 'Get an order',
  description: 'Finds an order.',
  input: { type: 'object', properties: { id: { type: 'string' } } },
  effect: 'none',
  annotations: { readOnlyHint: true },
  run: () => 'shipped',
});

describe.each(wires)('over $name', (wire) => {
  test('the catalog lists the agents that are bound by name, with what their models are known to be', async () => {
    const reader = { name: 'reader', description: 'Reads.', instructions: 'Read.', model: scriptedModel([]) };
    await using scene = await stage(wire, [], { tools: [order], subagents: [reader] });
    const { client, runtime, bindingId, model } = scene;
    const binding = runtime.binding(bindingId) ?? expect.fail('it is bound');
    expect(await client.request('catalog/read', {})).toEqual({ agents: [], models: [], commands: [], skills: [] });
    const priced = {
      ...model,
      name: 'acme/large',
      limits: { contextWindow: 200_000, maxOutputTokens: 8_000 },
      price: { input: 1, output: 5, cacheRead: 0.1 },
    };
    runtime.bind({ ...binding, model: priced, description: 'Helps with orders.' }, 'agent:test');
    expect(await client.request('catalog/read', {})).toEqual({
      agents: [
        {
          name: 'test',
          bindingId: 'agent:test',
          description: 'Helps with orders.',
          model: 'acme/large',
          tools: [
            {
              name: 'get_order',
              title: 'Get an order',
              description: 'Finds an order.',
              inputSchema: order.specification().inputSchema,
              annotations: { readOnlyHint: true },
            },
          ],
          subagents: [{ name: 'reader', description: 'Reads.', model: reader.model.name }],
          permissionMode: 'default',
          customizable: false,
        },
      ],
      models: [
        {
          name: 'acme/large',
          contextWindow: 200_000,
          maxOutputTokens: 8_000,
          price: { input: 1, output: 5, cacheRead: 0.1 },
        },
        { name: reader.model.name },
      ],
      commands: [],
      skills: [],
    });
  });

  test('what no session has yet is said to be missing, and a session that is not there is not found', async () => {
    await using scene = await stage(wire, []);
    const { client, bindingId } = scene;
    const { id: sessionId } = await client.createSession({ bindingId });
    const task = { sessionId, taskId: 't' };
    const server = { sessionId, server: 'files' };
    expect(await client.request('task/list', { sessionId })).toEqual({ tasks: [] });
    expect(await client.request('mcp/status', { sessionId })).toEqual({ servers: [] });
    expect(await client.request('mcp/set', { sessionId, servers: {} })).toEqual({ servers: [] });
    for (const [asking, code] of [
      [client.request('task/output', task), 'task.not_found'],
      [client.request('task/stop', task), 'task.not_found'],
      [client.request('mcp/reconnect', server), 'mcp.server_not_found'],
      [client.request('mcp/toggle', { ...server, enabled: false }), 'mcp.server_not_found'],
      [client.request('mcp/set', { sessionId, servers: { files: {} } }), 'mcp.server_not_found'],
      [client.request('files/rewind', { sessionId, messageId: 'm' }), 'session.procedure_unsupported'],
      [client.request('session/compact', { sessionId, bindingId }), 'session.procedure_unsupported'],
      [client.request('task/list', { sessionId: 'none' }), 'session.not_found'],
      [client.request('files/rewind', { sessionId: 'none', messageId: 'm' }), 'session.not_found'],
    ] as const)
      await expect(asking).rejects.toMatchObject({ code });
  });

  test('a session is archived and brought back, and lists leave it out or show it alone', async () => {
    await using scene = await stage(wire, []);
    const { client, bindingId } = scene;
    const [kept, put] = [await client.createSession({ bindingId }), await client.createSession({ bindingId })];
    const listed = async (filter: { readonly archived?: boolean }) => {
      const { sessions } = await client.request('session/list', { ...filter, limit: 1 });
      return sessions.map(({ id }) => id);
    };
    expect(await put.update({ archived: true })).toMatchObject({ archived: true });
    expect((await put.read()).archived).toBe(true);
    expect(await listed({ archived: true })).toEqual([put.id]);
    expect(await listed({ archived: false })).toEqual([kept.id]);
    expect(await listed({})).toEqual([put.id]);
    expect(await put.update({ title: 'Kept away' })).toMatchObject({ archived: true, title: 'Kept away' });
    expect(await put.update({ archived: false })).not.toHaveProperty('archived');
    expect(await listed({ archived: true })).toEqual([]);
  });
});
