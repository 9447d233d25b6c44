// Plain JavaScript, as the floor is: what strips types is in no figure.
import { readFile } from 'node:fs/promises';
import { createAnthropic } from '@ai-sdk/anthropic';
import { jsonSchema, stepCountIs, streamText, tool } from 'ai';

const anthropic = createAnthropic({ baseURL: `${process.env.ANTHROPIC_BASE_URL}/v1`, apiKey: 'bench' });

const read = tool({
  description: 'Reads a file.',
  inputSchema: jsonSchema({
    type: 'object',
    properties: { file_path: { type: 'string' } },
    required: ['file_path'],
  }),
  execute: ({ file_path: path }) => readFile(path, 'utf8'),
});

/** The same conversation on the `ai` package: its loop, its adapter, every piece read as it comes. */
export async function converseByAi(prompt) {
  const result = streamText({
    model: anthropic('claude-sonnet-4-5'),
    tools: { Read: read },
    stopWhen: stepCountIs(100),
    prompt,
    onError({ error }) {
      throw error;
    },
  });
  for await (const _part of result.fullStream);
  return await result.text;
}
