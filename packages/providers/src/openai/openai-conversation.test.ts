import type { ModelBlock } from '@rondo/protocol';
import type { Model, ModelMessage, ToolSpecification } from '@rondo/runtime';
import { expect, test } from 'vitest';
import {
  askModel,
  malformedToolCall,
  redactedThinking,
  reply,
  startModelServer,
  text,
  thinking,
  toolCall,
  wireBlock,
  type Step,
} from '../testing/index.ts';
import { createOpenAIModel } from './create-openai-model.ts';

const tools: readonly ToolSpecification[] = [
  { name: 'Read', description: 'Reads', inputSchema: { type: 'object', properties: { path: { type: 'string' } } } },
];
const name = 'openai/gpt-6.2-sol';

async function serve(...script: readonly Step[]) {
  const server = await startModelServer({ script });
  const model = createOpenAIModel({ model: 'gpt-6.2-sol', baseUrl: server.url });
  return { server, model, [Symbol.asyncDispose]: () => server.close() };
}

function user(words: string): ModelMessage {
  return { role: 'user', content: [{ type: 'text', text: words }] };
}

/** Calls answered, as a turn would answer them. */
function answers(blocks: readonly ModelBlock[]): ModelMessage {
  return {
    role: 'user',
    content: blocks.flatMap((block) =>
      block.type === 'tool_call'
        ? [
            {
              type: 'tool_result' as const,
              toolCallId: block.toolCallId,
              content: [{ type: 'text' as const, text: `read ${JSON.stringify(block.input)}` }],
              isError: block.malformed !== undefined,
            },
          ]
        : [],
    ),
  };
}

/** Goes on until the model calls nothing any more. */
async function converse(model: Model): Promise<readonly ModelMessage[]> {
  const messages: ModelMessage[] = [user('Go')];
  for (;;) {
    const { blocks, end, error } = await askModel(model, { tools, messages: [...messages], sessionId: 's-1' });
    if (end === undefined) throw new Error('the reply broke off', { cause: error });
    messages.push({ role: 'assistant', model: name, content: blocks });
    if (end.stopReason !== 'tool_use') return messages;
    messages.push(answers(blocks));
  }
}

test('a loop of many steps is taken by the strict server, and repeats every byte it has sent', async () => {
  const search = { id: 'ws_1', type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'x' } };
  await using served = await serve(
    [thinking('First.\n\nThen.'), text('I read 世界 👩‍👩‍👧.'), toolCall('Read', { path: 'a' }), toolCall('Read', {})],
    [redactedThinking('hidden'), malformedToolCall('Read', '{"path": "b'), malformedToolCall('Read', '{"path" : "c"}')],
    [thinking('Search.'), wireBlock(search, [{ type: 'response.web_search_call.searching' }]), toolCall('Read', {})],
    text('Done.'),
  );
  const messages = await converse(served.model);
  expect(messages).toHaveLength(8);
  const sent = served.server.requests.map(({ text: body }) => body.slice(0, -']}'.length));
  for (const [index, body] of sent.slice(1).entries()) expect(body.startsWith(sent[index] ?? '-')).toBe(true);
  const last = sent.at(-1) ?? '';
  expect(last).toContain('"arguments":"{\\"path\\" : \\"c\\"}"');
  expect(last).toContain(JSON.stringify(search));
  expect(last.match(/"phase":"commentary"/g)).toHaveLength(1);
});

test('reasoning that was altered, or left without what follows it, is refused', async () => {
  for (const alter of [
    (block: ModelBlock): ModelBlock =>
      block.type === 'reasoning' ? { ...block, providerData: { ...block.providerData, id: 'rs_other' } } : block,
    (block: ModelBlock): ModelBlock =>
      block.type === 'reasoning'
        ? { ...block, providerData: { ...block.providerData, encrypted_content: 'AAAA' } }
        : block,
  ]) {
    const server = await startModelServer({ script: [[thinking('Hm.'), text('Yes.')]] });
    const model = createOpenAIModel({ model: 'gpt-6.2-sol', baseUrl: server.url });
    const { blocks } = await askModel(model);
    const reply: ModelMessage = { role: 'assistant', model: name, content: blocks.map(alter) };
    const { error } = await askModel(model, { messages: [user('Hi'), reply, user('And?')] });
    expect(error).toMatchObject({ code: 'model.request_invalid', details: { type: 'invalid_encrypted_content' } });
    await expect(server.close()).rejects.toThrow(/could not be verified/);
  }
});

test.each([
  ['reasoning', [thinking('It is 世界 heavy, and more than that.')], 4],
  ['its answer', [thinking('Heavy.'), text('It weighs more than it seems.', { pieceLength: 1 })], 12],
])('a reply that was interrupted in %s is followed by a request that holds', async (_where, blocks, events) => {
  const fault = { type: 'cut', after: { events }, how: 'close' } as const;
  await using served = await serve(reply(blocks, { fault }), text('Here.'));
  const broken = await askModel(served.model);
  expect(broken.error).toBeDefined();
  // What a turn keeps of it: the whole blocks, and the text as far as it came, which no provider has signed.
  const kept: ModelBlock[] = [
    ...broken.blocks,
    ...(broken.text === '' ? [] : [{ type: 'text' as const, text: broken.text }]),
  ];
  const messages = [user('Go'), { role: 'assistant' as const, model: name, content: kept }, user('And now?')];
  const { text: said } = await askModel(served.model, { messages });
  expect(said).toBe('Here.');
});

test('what stopped the model, and what it used', async () => {
  const usage = { input_tokens: 10, cache_read_input_tokens: 90, cache_creation_input_tokens: 5, output_tokens: 3 };
  await using served = await serve(
    reply(text('cut'), { stopReason: 'max_tokens', usage }),
    reply(text('I cannot.'), { stopReason: 'refusal' }),
    reply(text('…'), { stopReason: 'refusal', stopDetails: { reason: 'content_filter' } }),
  );
  const ends = [];
  for (let step = 0; step < 3; step += 1) ends.push((await askModel(served.model)).end);
  expect(ends).toMatchObject([
    {
      stopReason: 'max_tokens',
      usage: { inputTokens: 10, cacheReadInputTokens: 90, cacheCreationInputTokens: 5, outputTokens: 3 },
    },
    { stopReason: 'refusal' },
    { stopReason: 'refusal', stopDetails: { reason: 'content_filter' } },
  ]);
});

test('tokens are counted of the request that would be sent', async () => {
  await using served = await serve(text('Hello'));
  const request = { system: 'Be brief.', tools, messages: [user('Hi')] };
  const { signal } = new AbortController();
  const count = await served.model.countTokens?.(request, { signal });
  expect(count).toBeGreaterThan(20);
  const more = await served.model.countTokens?.({ ...request, messages: [user('Hi'.repeat(400))] }, { signal });
  expect(more).toBeGreaterThan((count ?? 0) + 100);
  expect((await askModel(served.model)).text).toBe('Hello');
});

test('leaving a reply closes its connection', async () => {
  const held = Promise.withResolvers<void>();
  await using served = await serve(text(['once upon ', held.promise, 'a time']));
  const controller = new AbortController();
  const stream = served.model.stream({ system: '', tools: [], messages: [user('Hi')] }, { signal: controller.signal });
  const seen = (async () => {
    for await (const part of stream) if (part.type === 'delta') controller.abort();
  })();
  await expect(seen).rejects.toMatchObject({ code: 'operation.aborted' });
  expect(await served.server.requests[0]?.ended).toBe('left');
  held.resolve();
});
