import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SDKMessage } from '@rondo/protocol';
import { call, say, scriptedModel, type ScriptedStep } from '@rondo/runtime/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Options } from '../options/options.ts';
import { query } from '../query.ts';
import { collectMessages } from '../testing/collect-messages.ts';
import { createSdkMcpServer } from './create-sdk-mcp-server.ts';
import { tool } from './tool.ts';

let root = '';
let homes = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'rondo-mcp-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

function setUp(steps: readonly ScriptedStep[], more: Options = {}) {
  homes += 1;
  const model = scriptedModel(steps);
  const options: Options = {
    model,
    home: join(root, `home-${homes}`),
    cwd: root,
    tools: [],
    env: { PATH: process.env['PATH'] },
    settingSources: [],
    ...more,
  };
  return { model, options };
}

function results(lines: readonly SDKMessage[]) {
  return lines.flatMap((line) =>
    line.type === 'user' && Array.isArray(line.message.content) ? line.message.content : [],
  );
}

const add = tool('add', 'Adds two numbers', { a: z.number(), b: z.number().default(1) }, async ({ a, b }) => ({
  content: [{ type: 'text', text: String(a + b) }],
}));
const calc = createSdkMcpServer({ name: 'calc', tools: [add] });

describe('a server of this program', () => {
  test('offers its tools to the model and answers its calls', async () => {
    const { model, options } = setUp([call('mcp__calc__add', { a: 2 }), say('3')], {
      mcpServers: { calc },
      allowedTools: ['mcp__calc'],
    });
    const lines = await collectMessages(query({ prompt: 'add', options }));
    expect(lines[0]).toMatchObject({
      subtype: 'init',
      tools: ['mcp__calc__add'],
      mcp_servers: [{ name: 'calc', status: 'connected' }],
    });
    expect(model.requests[0]?.tools).toMatchObject([{ name: 'mcp__calc__add', description: 'Adds two numbers' }]);
    expect(results(lines)).toMatchObject([{ type: 'tool_result', content: '3' }]);
    model.assertDone();
  });
});
