import type { McpServerConfig } from '@rondo/sdk';
import type { SteeringMethod } from './scenario.ts';
import type { WireClient } from './wire-client.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A method of a query as the request that section 2.1 of the contract gives it, and what of the answer it gives. */
export async function callOverWire(
  { request, initialized }: Pick<WireClient, 'request' | 'initialized'>,
  method: SteeringMethod,
  input: readonly unknown[],
): Promise<unknown> {
  const [first, second] = input;
  const ask = async (subtype: string, fields?: Fields): Promise<unknown> =>
    (await request(subtype, fields))['response'];
  const tell = async (subtype: string, fields?: Fields): Promise<undefined> => void (await request(subtype, fields));
  const offered = async (): Promise<Fields> => (await initialized)['response'] as Fields;
  switch (method) {
    case 'interrupt':
      return await ask(
        'interrupt',
        (first as { cancelQueued?: boolean })?.cancelQueued === true ? { cancel_queued: true } : {},
      );
    case 'setPermissionMode':
      return await tell('set_permission_mode', { mode: first });
    case 'setModel':
      return await tell('set_model', first === undefined ? {} : { model: first });
    case 'setMaxThinkingTokens':
      return await tell('set_max_thinking_tokens', { max_thinking_tokens: first });
    case 'applyFlagSettings':
      return await tell('apply_flag_settings', { settings: first });
    case 'rewindFiles':
      return await ask('rewind_files', { user_message_id: first, ...(second as object) });
    case 'stopTask':
      return await tell('stop_task', { task_id: first });
    case 'mcpServerStatus':
      return ((await ask('mcp_status')) as Fields)['mcpServers'];
    case 'reconnectMcpServer':
      return await tell('mcp_reconnect', { serverName: first });
    case 'toggleMcpServer':
      return await tell('mcp_toggle', { serverName: first, enabled: second });
    case 'setMcpServers':
      return await ask('mcp_set_servers', { servers: named(first as Record<string, McpServerConfig>) });
    case 'initializationResult':
      return await offered();
    case 'reinitialize':
      return (await request('initialize'))['response'];
    case 'supportedCommands':
      return (await offered())['commands'];
    case 'supportedModels':
      return (await offered())['models'];
    case 'supportedAgents':
      return (await offered())['agents'];
    case 'accountInfo':
      return (await offered())['account'];
  }
}

function named(servers: Readonly<Record<string, McpServerConfig>>): object {
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]) => [name, server.type === 'sdk' ? { type: 'sdk', name } : server]),
  );
}
