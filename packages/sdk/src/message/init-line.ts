import type { SDKSystemMessage, TurnStarted } from '@rondo/protocol';
import { messageUuid } from './line-uuid.ts';
import type { ProjectionState } from './projection-state.ts';
import { wireModelName } from './wire-model-name.ts';

/** What a turn runs with. */
export function initLine(state: ProjectionState, event: TurnStarted): SDKSystemMessage {
  const { binding } = event;
  const { mcp = binding.mcpServers.map((name) => ({ name, status: 'connected', tools: [] })) } = binding;
  return {
    type: 'system',
    subtype: 'init',
    uuid: messageUuid(event.turnId, 'init'),
    session_id: state.options.sessionId,
    agents: [],
    ...(state.options.betas === undefined ? {} : { betas: [...state.options.betas] }),
    apiKeySource: state.options.apiKeySource ?? 'user',
    claude_code_version: state.options.version ?? '0.0.0',
    cwd: binding.cwd,
    tools: [...(state.options.tools ?? binding.tools), ...mcp.flatMap(({ tools }) => tools)],
    mcp_servers: mcp.map(({ name, status }) => ({ name, status })),
    model: wireModelName(binding.model),
    permissionMode: state.permissionMode,
    slash_commands: [],
    output_style: 'default',
    skills: [],
    plugins: [],
    capabilities: ['interrupt_receipt_v1'],
  };
}
