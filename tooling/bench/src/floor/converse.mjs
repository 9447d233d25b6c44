// The floor: what a conversation costs that someone writes by hand. No library, no log, no permission, no retry.
// Plain JavaScript, so that Node runs it as it stands. It is measured against, so it is written as one would write it:
// neither slowed down nor tuned beyond what is plain.
import { readFile } from 'node:fs/promises';

const tools = [
  {
    name: 'Read',
    description: 'Reads a file.',
    input_schema: { type: 'object', properties: { file_path: { type: 'string' } }, required: ['file_path'] },
  },
];

/** Talks to a Messages API until the model calls no more tools; gives the conversation. */
export async function converse({ baseUrl, prompt, onStep = () => {} }) {
  const messages = [{ role: 'user', content: prompt }];
  for (;;) {
    const content = await ask(baseUrl, messages);
    messages.push({ role: 'assistant', content });
    const calls = content.filter((block) => block.type === 'tool_use');
    if (calls.length === 0) return messages;
    const results = calls.map(async ({ id, input }) => ({
      type: 'tool_result',
      tool_use_id: id,
      content: await readFile(input.file_path, 'utf8'),
    }));
    messages.push({ role: 'user', content: await Promise.all(results) });
    onStep();
  }
}

/** One reply: its blocks, and each piece of its text as it comes. */
export async function ask(baseUrl, messages, onText) {
  const response = await fetch(`${baseUrl}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', 'x-api-key': 'bench' },
    body: JSON.stringify({ model: 'claude-sonnet-4-5', max_tokens: 32_000, stream: true, tools, messages }),
  });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  const content = [];
  for await (const event of serverSentEvents(response.body)) {
    if (event.type === 'content_block_start') content[event.index] = { ...event.content_block, json: '' };
    else if (event.type === 'content_block_delta') {
      const block = content[event.index];
      if (event.delta.type === 'text_delta') {
        block.text += event.delta.text;
        onText?.(event.delta.text);
      } else block.json += event.delta.partial_json;
    }
  }
  return content.map(({ json, ...block }) =>
    block.type === 'tool_use' ? { ...block, input: JSON.parse(json) } : block,
  );
}

/** The events of a body; a last one that is no JSON, such as `[DONE]`, is left out. */
export async function* serverSentEvents(body) {
  let rest = '';
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split('\n');
    rest = lines.pop();
    for (const line of lines) if (line.startsWith('data: {')) yield JSON.parse(line.slice(6));
  }
}

if (import.meta.main) {
  const messages = await converse({ baseUrl: process.env.ANTHROPIC_BASE_URL, prompt: process.argv[2] });
  process.stdout.write(`${messages.at(-1).content[0].text}\n`);
}
