import { malformedToolCall, startModelServer, text } from '@rondo/providers/testing';
import { query, type SDKMessage } from '@rondo/sdk';
import { Agent, defineTool } from '@rondo/sdk/agent';
import { expect, test } from 'vitest';
import { wireKey } from './wires.ts';

const written = '```json\n{"article": "pen",}\n```';

const weigh = defineTool({
  name: 'weigh',
  description: 'Weighs an article.',
  input: { type: 'object', properties: { article: { type: 'string' } }, required: ['article'] },
  effect: 'none',
  run: ({ article }) => `${String(article)}: 7 g`,
});

test('issue 3: arguments that can mean one thing only run as that, and the log keeps what was written', async () => {
  const server = await startModelServer({ script: [malformedToolCall('weigh', written), text('It weighs 7 g.')] });
  const env = { OPENAI_COMPATIBLE_API_KEY: wireKey, OPENAI_COMPATIBLE_BASE_URL: `${server.url}/v1` };
  const agent = new Agent({ model: 'openai-compatible/m', tools: [weigh], store: 'memory', env });
  const session = await agent.startSession();
  const turn = await session.startTurn('How heavy is a pen?');
  if (turn.type === 'busy') throw new Error('a new session is busy');
  const calls: unknown[] = [];
  for await (const event of turn.events()) {
    if (event.type === 'entry.completed' && event.entry.type === 'assistant')
      calls.push(...event.entry.content.filter((block) => block.type === 'tool_call'));
  }
  expect(await turn.result()).toMatchObject({
    type: 'completed',
    text: expect.stringContaining('It weighs 7 g.'),
    toolCalls: [{ name: 'weigh', arguments: { article: 'pen' } }],
  });
  expect(calls).toMatchObject([
    {
      input: { article: 'pen' },
      repaired: { text: written, mended: expect.stringMatching(/code fence.*comma before a closing bracket/) },
    },
  ]);
  const second = server.requests[1]?.text ?? '';
  expect(second).toContain(JSON.stringify('{"article":"pen"}'));
  expect(second).not.toContain('```');
  await agent.close();
  await server.close();
});

test('issue 3: query() shows a repaired call as its input and nothing else', async () => {
  const server = await startModelServer({
    script: [malformedToolCall('Glob', '"{\\"pattern\\": \\"*.none\\"}"'), text('None.')],
  });
  const env = { ...process.env, OPENAI_COMPATIBLE_API_KEY: wireKey, OPENAI_COMPATIBLE_BASE_URL: `${server.url}/v1` };
  const messages: SDKMessage[] = [];
  for await (const message of query({
    prompt: 'Is there any?',
    options: { model: 'openai-compatible/m', env, allowedTools: ['Glob'], persistSession: false },
  }))
    messages.push(message);
  const blocks = messages.flatMap((message) => (message.type === 'assistant' ? message.message.content : []));
  expect(blocks.filter(({ type }) => type === 'tool_use')).toEqual([
    { type: 'tool_use', id: expect.any(String), name: 'Glob', input: { pattern: '*.none' } },
  ]);
  await server.close();
});
