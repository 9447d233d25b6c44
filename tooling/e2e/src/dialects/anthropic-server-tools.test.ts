import { reply, startModelServer, text, toolCall, wireBlock, type Step } from '@rondo/providers/testing';
import { Agent, defineTool } from '@rondo/sdk/agent';
import { describe, expect, test } from 'vitest';
import { wireKey } from './wires.ts';

const search = wireBlock({ type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } });
const page = {
  type: 'web_search_result',
  url: 'https://example.com',
  title: 'X',
  encrypted_content: 'EqgfCioIARgBIiQ3YTAw/+==',
  page_age: null,
};
const found = wireBlock({ type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [page] });
const citation = {
  type: 'web_search_result_location',
  url: 'https://example.com',
  title: 'X',
  encrypted_index: 'Eo8BCioIAhgBIiQyYjQ0/+==',
  cited_text: 'It is so.',
};
const cited = wireBlock({ type: 'text', text: '', citations: [] }, [
  { type: 'citations_delta', citation },
  { type: 'text_delta', text: 'It is so.' },
]);
const weigh = defineTool({
  name: 'weigh',
  description: 'Weighs an article.',
  input: { type: 'object', properties: {} },
  effect: 'none',
  run: () => '7 g',
});

/** Runs the messages one after another against the strict server, and gives what each request held. */
async function converse(script: readonly Step[], messages: readonly string[]) {
  await using server = await startModelServer({ script, apiKey: wireKey });
  const agent = new Agent({
    model: 'anthropic/claude-sonnet-5-5',
    tools: [weigh],
    store: 'memory',
    env: { ANTHROPIC_API_KEY: wireKey, ANTHROPIC_BASE_URL: server.url },
  });
  const session = await agent.startSession();
  for (const message of messages) expect(await session.run(message)).toMatchObject({ type: 'completed' });
  await agent.close();
  return server.requests.map(({ body, text: sent }) => ({ ...(body as { messages: { content: object[] }[] }), sent }));
}

describe("issue 3, accept 2: tools on Anthropic's side", () => {
  test('a turn that paused goes on from its own words, and its blocks go back byte for byte', async () => {
    const requests = await converse(
      [reply([text('I look.'), search], { stopReason: 'pause_turn' }), [found, cited], text('You are welcome.')],
      ['Look it up.', 'Thanks.'],
    );
    expect(requests[1]?.messages.map(({ content }) => content.length)).toEqual([1, 2]);
    expect(requests[2]?.messages.map(({ content }) => content.length)).toEqual([1, 4, 1]);
    for (const block of [page, citation]) expect(requests[2]?.sent).toContain(JSON.stringify(block));
  });

  test('a call that was cut off before its result stays away from what is said next', async () => {
    const requests = await converse(
      [reply([text('I look.'), search], { stopReason: 'max_tokens' }), text('As you wish.')],
      ['Look it up.', 'Leave it.'],
    );
    expect(requests[1]?.messages.map(({ content }) => content.length)).toEqual([1, 1, 1]);
  });

  test('one that waits for the results of our tools is answered behind them', async () => {
    const requests = await converse(
      [[search, toolCall('weigh', {})], [found, cited], text('You are welcome.')],
      ['Look it up and weigh it.', 'Thanks.'],
    );
    expect(requests[1]?.messages.map(({ content }) => content.length)).toEqual([1, 2, 1]);
    expect(requests[2]?.messages.map(({ content }) => content.length)).toEqual([1, 2, 1, 2, 1]);
  });
});
