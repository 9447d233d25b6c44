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
  openai: {
    path: '/v1/responses',
    headers: { authorization: 'Bearer bench' },
    body: (prompt) => ({ model: 'gpt-6.2-sol', stream: true, store: false, input: user(prompt) }),
    text: (event) => (event.type === 'response.output_text.delta' ? event.delta : ''),
  },
  chat: { path: '/v1/chat/completions', headers: {}, body: chat('some-model'), text: chatText },
  mistral: {
    path: '/mistral/v1/chat/completions',
    headers: { authorization: 'Bearer bench' },
    body: chat('mistral-medium-latest'),
    text: chatText,
  },
  google: {
    path: '/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse',
    headers: { 'x-goog-api-key': 'bench' },
    body: (prompt) => ({ contents: [{ role: 'user', parts: [{ text: prompt }] }] }),
    text: (event) => event.candidates?.[0]?.content?.parts?.map((part) => part.text ?? '').join('') ?? '',
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
