// The floor of one reply on any vendor's wire: post, read server-sent events, join the text. Written as one would by hand.
import { serverSentEvents } from './converse.mjs';

const user = (prompt) => [{ role: 'user', content: prompt }];
const chat = (model) => (prompt) => ({ model, stream: true, messages: user(prompt) });
const chatText = (event) => event.choices?.[0]?.delta?.content ?? '';

/** By the name that the bench gives a wire. */
const wires = {
  anthropic: {
    path: '/v1/messages',
    headers: { 'anthropic-version': '2023-06-01', 'x-api-key': 'bench' },
    body: (prompt) => ({ model: 'claude-sonnet-5-5', max_tokens: 32_000, stream: true, messages: user(prompt) }),
    text: (event) => (event.type === 'content_block_delta' ? event.delta.text : ''),
  },
};

const [name, prompt] = process.argv.slice(2);
const { path, headers, body, text } = wires[name];
const response = await fetch(`${process.env.BENCH_URL}${path}`, {
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body(prompt)),
});
if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
let answer = '';
for await (const event of serverSentEvents(response.body)) answer += text(event);
process.stdout.write(`${answer}\n`);
