import { call, say } from '@rondo/runtime/testing';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { query } from '../query.ts';
import { replaySession } from '../sessions/replay-session.ts';
import { collectMessages } from '../testing/collect-messages.ts';
import { mcpStage } from '../testing/mcp-stage.ts';
import { createSdkMcpServer } from './create-sdk-mcp-server.ts';
import { tool } from './tool.ts';

const { setUp } = await mcpStage();

test('a session that had servers is replayed from its log, without them', async () => {
  const add = tool('add', 'Adds', { a: z.number() }, async ({ a }) => ({
    content: [{ type: 'text', text: String(a + 1) }],
    structuredContent: { sum: a + 1 },
  }));
  const broken = { connect: () => Promise.reject(new Error('no room')), close: async () => {} };
  const { options, home } = setUp([call('mcp__s__add', { a: 1 }), call('Bash', { a: 2 }), say('done')], {
    mcpServers: {
      s: createSdkMcpServer({ name: 's', tools: [add] }),
      broken: { type: 'sdk', name: 'broken', instance: broken },
    },
    toolAliases: { Bash: 'mcp__s__add' },
    allowedTools: ['mcp__s'],
  });
  const [init] = await collectMessages(query({ prompt: 'go', options }));
  const report = await replaySession(init?.session_id ?? '', { home });
  expect(report.divergence).toBeUndefined();
  const { model: _, ...today } = options;
  const judged = await replaySession(init?.session_id ?? '', { home, options: today });
  expect(judged.divergence).toBeUndefined();
});

test('calls that ran beside each other are replayed so', async () => {
  const both = Promise.withResolvers<void>();
  const rest = Promise.withResolvers<void>();
  let running = 0;
  const peek = tool(
    'peek',
    'Looks',
    { n: z.number() },
    async ({ n }) => {
      running += 1;
      if (running === 2) both.resolve();
      await both.promise;
      // The one that began last ends first.
      if (n === 2) rest.resolve();
      else await rest.promise;
      return { content: [{ type: 'text', text: String(n) }] };
    },
    { annotations: { readOnlyHint: true } },
  );
  const steps = [[call('mcp__s__peek', { n: 1 }), call('mcp__s__peek', { n: 2 })], say('done')];
  const { options, home } = setUp(steps, {
    mcpServers: { s: createSdkMcpServer({ name: 's', tools: [peek] }) },
    allowedTools: ['mcp__s'],
  });
  const [init] = await collectMessages(query({ prompt: 'go', options }));
  const { divergence, requests } = await replaySession(init?.session_id ?? '', { home });
  expect(divergence).toBeUndefined();
  expect(requests).toBe(2);
});
