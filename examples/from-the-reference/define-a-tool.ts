import { tool } from '@rondo/sdk';
import { z } from 'zod';

const searchTool = tool(
  'search',
  'Search the web',
  { query: z.string() },
  async ({ query }) => {
    return { content: [{ type: 'text', text: `Results for: ${query}` }] };
  },
  { annotations: { readOnlyHint: true, openWorldHint: true } },
);

// ---- what follows is not of the reference: the tool at work

const { createSdkMcpServer, query } = await import('@rondo/sdk');
const web = createSdkMcpServer({ name: 'web', tools: [searchTool] });
const options = { mcpServers: { web }, allowedTools: ['mcp__web'] };
for await (const message of query({ prompt: 'Look for pens.', options })) console.log(JSON.stringify(message));
