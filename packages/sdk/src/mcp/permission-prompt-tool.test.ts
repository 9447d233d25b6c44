import { call, say } from '@rondo/runtime/testing';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Options } from '../options/options.ts';
import { query } from '../query.ts';
import { collectMessages } from '../testing/collect-messages.ts';
import { callResults, mcpStage } from '../testing/mcp-stage.ts';
import { createSdkMcpServer } from './create-sdk-mcp-server.ts';
import { tool } from './tool.ts';

const { setUp } = await mcpStage();

const shape = { tool_name: z.string(), input: z.record(z.string(), z.unknown()), tool_use_id: z.string().optional() };

/** A server of the tool that is asked, and of one that is asked about. */
function serverOf(answer: () => unknown, asked: unknown[] = []) {
  const prompt = tool('prompt', 'Decides', shape, async (question) => {
    asked.push(question);
    return (await answer()) as never;
  });
  const add = tool('add', 'Adds', { a: z.number() }, async ({ a }) => ({
    content: [{ type: 'text', text: String(a + 1) }],
  }));
  return { auth: createSdkMcpServer({ name: 'auth', tools: [prompt, add] }) };
}

const says = (answer: unknown) => ({ content: [{ type: 'text', text: JSON.stringify(answer) }] });

async function ask(answer: () => unknown, more: Options = {}) {
  const asked: unknown[] = [];
  const { options, model } = setUp([call('mcp__auth__add', { a: 1 }), call('mcp__auth__add', { a: 2 }), say('done')], {
    mcpServers: serverOf(answer, asked),
    permissionPromptToolName: 'mcp__auth__prompt',
    ...more,
  });
  const lines = await collectMessages(query({ prompt: 'go', options }));
  return { asked, lines, offered: model.requests[0]?.tools?.map(({ name }) => name), results: callResults(lines) };
}

describe('the tool that answers questions', () => {
  test('is asked with the call, and lets it run; the model is not offered it', async () => {
    const { asked, offered, results, lines } = await ask(() => says({ behavior: 'allow' }));
    expect(offered).toEqual(['mcp__auth__add']);
    expect(lines[0]).toMatchObject({ tools: ['mcp__auth__add'] });
    expect(asked).toMatchObject([
      { tool_name: 'mcp__auth__add', input: { a: 1 }, tool_use_id: 'call-1' },
      { tool_name: 'mcp__auth__add', input: { a: 2 } },
    ]);
    expect(results).toMatchObject([{ content: '2' }, { content: '3' }]);
  });

  test('may change the call, and what is asked from then on', async () => {
    const update = {
      type: 'addRules',
      behavior: 'allow',
      destination: 'session',
      rules: [{ toolName: 'mcp__auth__add' }],
    };
    const { asked, results } = await ask(() =>
      says({ behavior: 'allow', updatedInput: { a: 10 }, updatedPermissions: [update] }),
    );
    expect(asked).toHaveLength(1);
    expect(results).toMatchObject([{ content: '11' }, { content: '3' }]);
  });

  test('may answer by structured content', async () => {
    const { results } = await ask(() => ({ content: [], structuredContent: { behavior: 'allow' } }));
    expect(results).toMatchObject([{ content: '2' }, { content: '3' }]);
  });

  test('denies, and the model reads why', async () => {
    const { results, lines } = await ask(() => says({ behavior: 'deny', message: 'not on a Friday' }));
    expect(results).toMatchObject([{ is_error: true, content: expect.stringContaining('not on a Friday') }, {}]);
    expect(lines.at(-1)).toMatchObject({ permission_denials: [{ tool_name: 'mcp__auth__add' }, {}] });
  });

  test.each<[string, () => unknown, RegExp]>([
    ['is no JSON', () => ({ content: [{ type: 'text', text: 'yes' }] }), /its answer is no JSON: yes/],
    ['is no answer', () => says({ allowed: true }), /the answer must be/],
    ['is null', () => says(null), /the answer must be/],
    ['is a yes in other words', () => says({ behavior: 'Allow' }), /the answer must be/],
    [
      'allows arguments that are none',
      () => says({ behavior: 'allow', updatedInput: [] }),
      /updatedInput must be an object/,
    ],
    ['allows rules that are none', () => says({ behavior: 'allow', updatedPermissions: [{}] }), /no permission update/],
    ['has no text', () => ({ content: [] }), /its answer has no text/],
    ['has failed', () => ({ content: [{ type: 'text', text: 'no disk' }], isError: true }), /it failed: no disk/],
    ['was thrown', () => Promise.reject(new Error('no disk')), /it failed: no disk/],
    ['is nothing', () => undefined, /gave nothing/],
  ])('gives no consent by an answer that %s', async (_what, answer, why) => {
    const { results } = await ask(answer);
    expect(results).toMatchObject([{ is_error: true, content: expect.stringMatching(why) }, { is_error: true }]);
  });

  test('gives none by silence', async () => {
    const { results } = await ask(() => new Promise(() => {}), { env: { MCP_TOOL_TIMEOUT: '1' } });
    expect(results).toMatchObject([
      { is_error: true, content: expect.stringContaining('did not answer within 1 ms') },
      {},
    ]);
  });

  test('is asked no more than a person would be', async () => {
    const { asked } = await ask(() => says({ behavior: 'allow' }), { allowedTools: ['mcp__auth'] });
    expect(asked).toEqual([]);
    const denied = await ask(() => says({ behavior: 'allow' }), { disallowedTools: ['mcp__auth__add'] });
    expect(denied.asked).toEqual([]);
    expect(denied.results).toMatchObject([{ is_error: true }, { is_error: true }]);
  });

  test('needs no rule of its own, and none takes it away', async () => {
    const { asked } = await ask(() => says({ behavior: 'allow' }), { disallowedTools: ['mcp__auth__prompt'] });
    expect(asked).toHaveLength(2);
  });
});

describe('a tool that cannot be asked', () => {
  test.each([
    [
      { mcpServers: serverOf(() => ({})), permissionPromptToolName: 'mcp__auth__other' },
      /no tool mcp__auth__other; the servers are auth\./,
    ],
    [{ permissionPromptToolName: 'mcp__auth__prompt' }, /no tool mcp__auth__prompt; there are no servers\./],
    [{ mcpServers: serverOf(() => ({})), permissionPromptToolName: 'Bash' }, /no tool Bash; the servers are auth/],
  ])('is named, with what there is (case %#)', async (more, message) => {
    const { options } = setUp([], more);
    await expect(collectMessages(query({ prompt: 'go', options }))).rejects.toMatchObject({
      code: 'input.invalid',
      message,
    });
  });

  test('is one beside canUseTool: both are named', () => {
    const { options } = setUp([], { permissionPromptToolName: 'mcp__a__b', canUseTool: async () => null });
    expect(() => query({ prompt: 'go', options })).toThrow(/options\.permissionPromptToolName and options\.canUseTool/);
  });
});
