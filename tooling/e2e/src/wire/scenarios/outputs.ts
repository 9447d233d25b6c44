import type { ScriptStep } from '@rondo/providers/scripted';
import { createSdkMcpServer, tool } from '@rondo/sdk';
import { z } from 'zod';
import { one, type Scenario, type Stage } from '../scenario.ts';

const schema = {
  type: 'object',
  properties: { colour: { type: 'string' } },
  required: ['colour'],
  additionalProperties: false,
};
const outputFormat = { type: 'json_schema' as const, schema };
const answers = (input: object): ScriptStep => ({ text: JSON.stringify(input) });

const calculator = (stage: Stage) =>
  createSdkMcpServer({
    name: 'calc',
    version: '2.0.0',
    tools: [
      tool('add', 'Adds two numbers', { a: z.number(), b: z.number() }, async ({ a, b }) => {
        stage.note('add', a, b);
        return { content: [{ type: 'text', text: String(a + b) }] };
      }),
      tool('fail', 'Fails', {}, async () => {
        stage.note('fail');
        throw new Error('no numbers today');
      }),
      tool('error', 'Says that it failed', {}, async () => ({
        content: [{ type: 'text', text: 'bad' }],
        isError: true,
      })),
    ],
  });

const withServer = (
  name: string,
  steps: readonly ScriptStep[],
  more: object,
  expect: Parameters<typeof one>[0]['expect'],
  prompt: Parameters<typeof one>[0]['prompt'] = 'go',
): Scenario =>
  one({
    name,
    steps,
    options: (stage) => ({ mcpServers: { calc: calculator(stage) }, tools: [], ...more }),
    prompt,
    expect,
  });

/** Each field is named. */
const misfit = {
  type: 'user',
  message: { content: [{ type: 'tool_result', is_error: true }] },
};

const add: ScriptStep = { call: 'mcp__calc__add', input: { a: 2, b: 3 } };
const done: ScriptStep = { text: 'Done.' };

/** Answers of a form, and tools of the program. */
export const outputs: readonly Scenario[] = [
  one({
    name: 'an output that fits',
    steps: [answers({ colour: 'red' })],
    options: { outputFormat },
    prompt: 'go',
    expect: { results: [{ subtype: 'success', structured_output: { colour: 'red' } }] },
  }),
  one({
    name: 'an output that fits the second time',
    steps: [answers({ colour: 7 }), answers({ colour: 'red' })],
    options: { outputFormat },
    prompt: 'go',
    expect: { results: [{ subtype: 'success', structured_output: { colour: 'red' } }] },
  }),
  one({
    name: 'an output that never fits',
    steps: [{ ...answers({ colour: 7 }), times: 5 }],
    options: { outputFormat },
    prompt: 'go',
    expect: { results: [{ subtype: 'error_max_structured_output_retries', is_error: true }], throws: /error result/ },
  }),
  one({
    name: 'an output of two messages',
    steps: [answers({ colour: 'red' }), answers({ colour: 'blue' })],
    options: { outputFormat },
    prompt: [{ say: 'one' }, { until: { type: 'result' } }, { say: 'two' }],
    expect: { results: [{ structured_output: { colour: 'red' } }, { structured_output: { colour: 'blue' } }] },
  }),
  one({
    name: 'an output behind a tool',
    steps: [{ call: 'Read', input: { file_path: '${cwd}/a.txt' } }, answers({ colour: 'red' })],
    files: { 'a.txt': 'red' },
    options: { outputFormat },
    prompt: 'go',
    expect: { results: [{ structured_output: { colour: 'red' } }] },
  }),

  withServer(
    'a tool of the program',
    [add, { expect: { results: ['5'] }, text: 'Done.' }],
    { allowedTools: ['mcp__calc__add'] },
    {
      asked: [['add', 2, 3]],
      lines: [{ type: 'system', subtype: 'init', mcp_servers: [{ name: 'calc', status: 'connected' }] }],
    },
  ),
  withServer('all tools of a server allowed', [add, done], { allowedTools: ['mcp__calc'] }, { asked: [['add', 2, 3]] }),
  withServer(
    'a tool of the program that nobody allows',
    [add, done],
    {},
    { asked: [], results: [{ permission_denials: [{ tool_name: 'mcp__calc__add' }] }] },
  ),
  withServer(
    'a tool of the program that a rule takes away',
    [add, done],
    { disallowedTools: ['mcp__calc__add'] },
    { asked: [] },
  ),
  withServer(
    'a tool of the program that is given what does not fit',
    [{ call: 'mcp__calc__add', input: { a: 'two' } }, done],
    { allowedTools: ['mcp__calc'] },
    { asked: [], lines: [misfit] },
  ),
  one({
    name: 'a tool of the program that is given what does not fit, with somebody who could be asked',
    steps: [{ call: 'mcp__calc__add', input: { a: 'two' } }, done],
    options: (stage) => ({
      mcpServers: { calc: calculator(stage) },
      canUseTool: async (name) => {
        stage.note('canUseTool', name);
        return { behavior: 'allow' };
      },
      hooks: {
        PreToolUse: [
          {
            hooks: [
              async (input) => {
                stage.note(input.hook_event_name);
                return {};
              },
            ],
          },
        ],
      },
    }),
    prompt: 'go',
    expect: { asked: [], lines: [misfit] },
  }),
  withServer(
    'a tool of the program that throws',
    [{ call: 'mcp__calc__fail', input: {} }, done],
    { allowedTools: ['mcp__calc'] },
    { asked: [['fail']] },
  ),
  withServer(
    'a tool of the program that says it failed',
    [{ call: 'mcp__calc__error', input: {} }, done],
    { allowedTools: ['mcp__calc'] },
    { results: [{ result: 'Done.' }] },
  ),
  withServer('a server’s state', [done], {}, { results: [{ result: 'Done.' }] }, [
    { say: 'go' },
    { until: { type: 'result' } },
    { call: 'mcpServerStatus' },
  ]),
  withServer(
    'a server switched off',
    [done, { expect: { tools: [] }, text: 'Two.' }],
    {},
    { results: [{}, { result: 'Two.' }] },
    [
      { say: 'go' },
      { until: { type: 'result' } },
      { call: 'toggleMcpServer', with: ['calc', false] },
      { say: 'again' },
    ],
  ),
  one({
    name: 'a tool of the program that the program is asked about',
    steps: [add, done],
    options: (stage) => ({
      mcpServers: { calc: calculator(stage) },
      tools: [],
      canUseTool: async (name, input) => {
        stage.note('canUseTool', name);
        return { behavior: 'allow', updatedInput: { ...input, b: 40 } };
      },
    }),
    prompt: 'go',
    expect: {
      asked: [
        ['canUseTool', 'mcp__calc__add'],
        ['add', 2, 40],
      ],
    },
  }),
  one({
    name: 'a tool of the program in the place of a built-in one',
    steps: [{ call: 'mcp__calc__add', input: { a: 1, b: 1 } }, done],
    options: (stage) => ({
      mcpServers: { calc: calculator(stage) },
      toolAliases: { Bash: 'mcp__calc__add' },
      allowedTools: ['mcp__calc'],
    }),
    prompt: 'go',
    expect: { asked: [['add', 1, 1]] },
  }),
];
