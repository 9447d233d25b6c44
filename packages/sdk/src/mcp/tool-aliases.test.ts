import { call, say } from '@rondo/runtime/testing';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Options } from '../options/options.ts';
import { query } from '../query.ts';
import { collectMessages } from '../testing/collect-messages.ts';
import { callResults, mcpStage, told } from '../testing/mcp-stage.ts';
import { createSdkMcpServer } from './create-sdk-mcp-server.ts';
import { tool } from './tool.ts';

const { setUp } = await mcpStage();

const toolAliases = { Bash: 'mcp__workspace__bash' };

/** A server whose tool runs lines elsewhere, and what it ran. */
function workspace(shape: Parameters<typeof tool>[2] = { command: z.string() }) {
  const ran: unknown[] = [];
  const bash = tool('bash', 'Runs a line elsewhere', shape, async (args) => {
    ran.push(args);
    return { content: [{ type: 'text', text: 'elsewhere' }] };
  });
  return { ran, mcpServers: { workspace: createSdkMcpServer({ name: 'workspace', tools: [bash] }) } };
}

/** What became of a call of `Bash`, or of what it is called with. */
async function runBash(more: Options, input = { command: 'ls' }, shape?: Parameters<typeof tool>[2], name = 'Bash') {
  const { ran, mcpServers } = workspace(shape);
  const { options, model } = setUp([call(name, input), say('done')], {
    tools: ['Bash', 'Read'],
    mcpServers,
    toolAliases,
    ...more,
  });
  const lines = await collectMessages(query({ prompt: 'go', options }));
  return { ran, lines, offered: model.requests[0]?.tools?.map((each) => each.name), result: callResults(lines)[0] };
}

describe('a built-in tool that a server’s tool stands for', () => {
  test('is not offered, and a call of it is one of the server’s tool', async () => {
    const { ran, lines, offered, result } = await runBash({ allowedTools: ['mcp__workspace'] });
    expect(offered).toEqual(['Read', 'mcp__workspace__bash']);
    expect(lines[0]).toMatchObject({ tools: ['Read', 'mcp__workspace__bash'] });
    expect(result).toMatchObject({ content: 'elsewhere' });
    expect(ran).toEqual([{ command: 'ls' }]);
  });

  test('is guarded by the hooks of both names', async () => {
    const heard: string[] = [];
    const { ran, result } = await runBash({
      allowedTools: ['mcp__workspace'],
      hooks: {
        PreToolUse: [
          {
            matcher: 'Bash',
            hooks: [
              async (input) => {
                heard.push('tool_name' in input ? input.tool_name : '');
                return { decision: 'block', reason: 'no lines here' };
              },
            ],
          },
        ],
      },
    });
    expect(heard).toEqual(['mcp__workspace__bash']);
    expect(result).toMatchObject({ is_error: true });
    expect(ran).toEqual([]);
  });

  test('is asked about under the name of what runs', async () => {
    const asked: string[] = [];
    const { result } = await runBash({
      canUseTool: async (name) => {
        asked.push(name);
        return { behavior: 'allow' };
      },
    });
    expect(asked).toEqual(['mcp__workspace__bash']);
    expect(result).toMatchObject({ content: 'elsewhere' });
  });

  test.each([
    ['a rule that allows it', { allowedTools: ['Bash'] }],
    ['a rule that allows the line', { allowedTools: ['Bash(ls)'] }],
    ['that the line only reads', {}],
  ])('is not allowed by %s', async (_what, more) => {
    const { ran, result } = await runBash(more);
    expect(result).toMatchObject({ is_error: true });
    expect(ran).toEqual([]);
  });

  const allowed = { allowedTools: ['mcp__workspace'] };
  test.each([
    ['the server', { ...allowed, disallowedTools: ['mcp__workspace'] }],
    ['the server’s tool', { ...allowed, disallowedTools: ['mcp__workspace__bash'] }],
    ['the built-in tool', { ...allowed, disallowedTools: ['Bash'] }],
    ['the line', { ...allowed, disallowedTools: ['Bash(rm *)'] }],
    ['a file that the line reads', { ...allowed, disallowedTools: ['Read(./secret/**)'] }],
  ])('is denied with %s', async (_what, more) => {
    for (const name of ['Bash', 'mcp__workspace__bash']) {
      const { ran, result } = await runBash(more, { command: 'rm -r x; cat secret/x' }, undefined, name);
      expect(result).toMatchObject({ is_error: true });
      expect(ran).toEqual([]);
    }
  });

  test('is asked about where a rule asks of the built-in tool', async () => {
    const ask = { settings: { permissions: { ask: ['Bash(git push *)'] } } };
    const denied = await runBash({ ...allowed, ...ask }, { command: 'git push origin' });
    expect(denied.result).toMatchObject({ is_error: true });
    const asked: string[] = [];
    const { result } = await runBash(
      {
        ...allowed,
        ...ask,
        canUseTool: async (name) => {
          asked.push(name);
          return { behavior: 'allow' };
        },
      },
      { command: 'git push origin' },
    );
    expect(asked).toEqual(['mcp__workspace__bash']);
    expect(result).toMatchObject({ content: 'elsewhere' });
    expect((await runBash({ ...allowed, ...ask }, { command: 'ls' })).result).toMatchObject({ content: 'elsewhere' });
  });

  test('is not run where nobody can tell whether a rule denies the line', async () => {
    const other = { line: z.string() };
    const denies = { ...allowed, disallowedTools: ['Bash(rm *)'] };
    const { ran, result } = await runBash(denies, { line: 'rm x' } as never, other, 'mcp__workspace__bash');
    expect(result).toMatchObject({ is_error: true, content: expect.stringContaining('stands for Bash') });
    expect(ran).toEqual([]);
    const free = await runBash(allowed, { line: 'rm x' } as never, other, 'mcp__workspace__bash');
    expect(free.result).toMatchObject({ content: 'elsewhere' });
  });

  test('is not there where the server is not, and never runs here in its place', async () => {
    const { options, model } = setUp([call('Bash', { command: 'touch here' }), say('done')], {
      tools: ['Bash'],
      toolAliases,
      env: { IS_SANDBOX: '1' },
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
    });
    const lines = await collectMessages(query({ prompt: 'go', options }));
    expect(model.requests[0]?.tools ?? []).toEqual([]);
    expect(callResults(lines)).toMatchObject([
      { is_error: true, content: expect.stringContaining('No such tool: Bash') },
    ]);
    expect(told(lines)).toEqual([expect.stringContaining('Bash is not there: mcp__workspace__bash')]);
  });

  test('may be one that is not built in', async () => {
    const { options } = setUp([call('WebFetch', { command: 'x' }), say('done')], {
      mcpServers: workspace().mcpServers,
      ...allowed,
      toolAliases: { WebFetch: 'mcp__workspace__bash' },
    });
    expect(callResults(await collectMessages(query({ prompt: 'go', options })))).toMatchObject([
      { content: 'elsewhere' },
    ]);
    const denied = setUp([call('WebFetch', { command: 'x' }), say('done')], {
      mcpServers: workspace().mcpServers,
      ...allowed,
      toolAliases: { WebFetch: 'mcp__workspace__bash' },
      disallowedTools: ['WebFetch'],
    });
    const [result] = callResults(await collectMessages(query({ prompt: 'go', options: denied.options })));
    expect(result).toMatchObject({ is_error: true });
  });
});

test.each([
  [{ Bash: 'bash' }, /toolAliases\.Bash takes the name of a server's tool/],
  [{ Bash: 3 }, /toolAliases\.Bash takes the name/],
  [{ mcp__a__b: 'mcp__c__d' }, /is no name of a built-in tool/],
  [{ Read: 'mcp__a__b', Write: 'mcp__a__b' }, /cannot stand for Read and for Write/],
  [[], /toolAliases takes an object/],
])('aliases that mean nothing are refused at once (case %#)', (aliases, message) => {
  const { options } = setUp([], { toolAliases: aliases as never });
  expect(() => query({ prompt: 'go', options })).toThrow(message);
});
