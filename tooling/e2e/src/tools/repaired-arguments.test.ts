import { join } from 'node:path';
import { query, type SDKMessage } from '@rondo/sdk';
import { Agent, defineTool } from '@rondo/sdk/agent';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { askedRequests } from '../harness/asked-requests.ts';
import { createPlace, type Place } from '../harness/place.ts';
import { scriptModel } from '../harness/write-script.ts';

let place: Place;
beforeEach(() => {
  place = createPlace();
});
afterEach(() => place[Symbol.dispose]());

const written = '```json\n{"article": "pen",}\n```';

const weigh = defineTool({
  name: 'weigh',
  description: 'Weighs an article.',
  input: { type: 'object', properties: { article: { type: 'string' } }, required: ['article'] },
  effect: 'none',
  run: ({ article }) => `${String(article)}: 7 g`,
});

test('issue 3: arguments that can mean one thing only run as that, and the log keeps what was written', async () => {
  const asked = join(place.folder, 'asked.jsonl');
  const model = scriptModel(place, [
    { call: 'weigh', json: written },
    { expect: { results: ['pen: 7 g'] }, text: 'It weighs 7 g.', asked },
  ]);
  await using agent = new Agent({ model, tools: [weigh], store: 'memory', env: place.env() });
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
  expect(askedRequests(asked)[0]?.messages[1]).toEqual({ assistant: [{ call: 'weigh', input: { article: 'pen' } }] });
});

test('issue 3: query() shows a repaired call as its input and nothing else', async () => {
  const model = scriptModel(place, [{ call: 'Glob', json: '"{\\"pattern\\": \\"*.none\\"}"' }, { text: 'None.' }]);
  const messages: SDKMessage[] = [];
  for await (const message of query({
    prompt: 'Is there any?',
    options: { model, cwd: place.project, env: place.env(), allowedTools: ['Glob'], persistSession: false },
  }))
    messages.push(message);
  const blocks = messages.flatMap((message) => (message.type === 'assistant' ? message.message.content : []));
  expect(blocks.filter(({ type }) => type === 'tool_use')).toEqual([
    { type: 'tool_use', id: expect.any(String), name: 'Glob', input: { pattern: '*.none' } },
  ]);
});
