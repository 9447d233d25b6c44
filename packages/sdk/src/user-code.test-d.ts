/** A program as users of the reference write it: that it compiles is the test. */
import { z } from 'zod';
import { z as z3 } from 'zod/v3';
import {
  AbortError,
  type CanUseTool,
  createSdkMcpServer,
  getSessionMessages,
  type HookCallback,
  listSessions,
  type Options,
  query,
  type SDKMessage,
  type SDKUserMessage,
  startup,
  tool,
} from './index.ts';

const add = tool('add', 'Adds', { a: z.number(), b: z.number().optional() }, async (args) => {
  const sum: number = args.a + (args.b ?? 0);
  return { content: [{ type: 'text', text: String(sum) }] };
});
const old = tool(
  'old',
  'Of zod 3',
  { a: z3.string(), list: z3.array(z3.number()).default([]) },
  async ({ a, list }) => ({ content: [{ type: 'text', text: a + list.length.toFixed() }], isError: false }),
  { annotations: { readOnlyHint: true, openWorldHint: true } },
);
const none = tool('none', 'Takes nothing', {}, async () => ({ content: [] }));

const gate: HookCallback = async (input, toolUseID, { signal }) => {
  if (signal.aborted || input.hook_event_name !== 'PreToolUse' || toolUseID === undefined) return {};
  return {
    hookSpecificOutput: {
      hookEventName: input.hook_event_name,
      permissionDecision: input.tool_name === 'Bash' ? 'deny' : 'allow',
      permissionDecisionReason: 'so',
    },
  };
};

const canUseTool: CanUseTool = async (name, input, { suggestions = [] }) =>
  name === 'Read'
    ? { behavior: 'allow', updatedInput: input, updatedPermissions: suggestions }
    : { behavior: 'deny', message: 'no', interrupt: true };

const options: Options = {
  mcpServers: {
    calc: createSdkMcpServer({ name: 'calc', version: '1.0.0', tools: [add, old, none] }),
    remote: { type: 'http', url: 'https://example.com', headers: { a: 'b' } },
    local: { command: 'npx', args: ['x'], env: { A: 'b' } },
  },
  hooks: {
    PreToolUse: [{ matcher: 'Bash', hooks: [gate], timeout: 5 }],
    Stop: [{ hooks: [async () => ({ decision: 'block', reason: 'more' })] }],
  },
  canUseTool,
  agents: { reviewer: { description: 'Reviews', prompt: 'Review.', tools: ['Read'], model: 'sonnet' } },
  systemPrompt: { type: 'preset', preset: 'claude_code', append: 'Be brief.' },
  thinking: { type: 'enabled', budgetTokens: 1000 },
  betas: ['context-1m-2025-08-07'],
};

async function* prompts(): AsyncGenerator<SDKUserMessage> {
  yield {
    type: 'user',
    session_id: '',
    message: {
      role: 'user',
      content: [
        { type: 'text', text: 'x' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: '' } },
      ],
    },
    parent_tool_use_id: null,
  };
}

function textsOf(message: SDKMessage): readonly string[] {
  switch (message.type) {
    case 'assistant':
      return message.message.content.map((block) => {
        if (block.type === 'text') return block.text;
        if (block.type === 'tool_use') return `${block.name} ${block.id}`;
        return block.type === 'thinking' ? block.thinking : block.type;
      });
    case 'result':
      return message.subtype === 'success' ? [message.result] : message.errors;
    case 'stream_event':
      return message.event.type === 'content_block_delta' && message.event.delta.type === 'text_delta'
        ? [message.event.delta.text]
        : [];
    case 'system':
      if (message.subtype === 'init') return [message.model, ...message.tools, ...message.slash_commands];
      return message.subtype === 'hook_response' ? [message.hook_name, message.outcome] : [];
    default:
      return 'result' in message ? [message.type] : [];
  }
}

/** Never called. */
export async function program(): Promise<readonly string[]> {
  const running = query({ prompt: prompts(), options });
  const lines: AsyncGenerator<SDKMessage, void> = running;
  const texts: string[] = [];
  try {
    for await (const message of lines) texts.push(...textsOf(message));
  } catch (error) {
    if (error instanceof AbortError) texts.push(error.message);
  }
  texts.push(...(await running.interrupt()).still_queued, (await running.accountInfo()).email ?? '');
  await running.applyFlagSettings({ model: null, permissions: { deny: ['Bash'] }, effortLevel: 'high' });
  await using warm = await startup({ options: { maxTurns: 3 }, initializeTimeoutMs: 1000 });
  for await (const message of warm.query('x')) if ('result' in message) texts.push(message.result);
  const [latest] = await listSessions({ dir: '.', limit: 1 });
  if (latest === undefined) return texts;
  const said = await getSessionMessages(latest.sessionId, { dir: '.', limit: 20, offset: 1 });
  return [...texts, ...said.map(({ type, uuid, parent_tool_use_id: parent }) => `${type} ${uuid} ${parent ?? ''}`)];
}
