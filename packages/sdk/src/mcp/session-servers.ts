import type { McpServerStatus, McpSetServersResult } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import type { Asker, Binding, Tool } from '@rondo/runtime';
import type { Options } from '../options/options.ts';
import type { Environment } from '../options/command-environment.ts';
import type { McpServerConfig } from './mcp-server-config.ts';
import type { McpServers, TurnServers } from './mcp-servers.ts';
import { loadTools } from '../options/load-package.ts';

/** The MCP servers of a session, and what a turn has of them. */
export interface SessionServers {
  /** The binding with the tools of the servers as they are now. @param turn whether a turn begins, in which what is new is told. */
  equip<Base extends Binding>(binding: Base, turn: { readonly tells: boolean }): Promise<Base>;
  status(): Promise<McpServerStatus[]>;
  set(servers: Readonly<Record<string, McpServerConfig>>): Promise<McpSetServersResult>;
  reconnect(name: string): Promise<void>;
  toggle(name: string, enabled: boolean): Promise<void>;
  /** Leaves them. Waits for none that does not answer. */
  close(): Promise<void>;
}

export type ServerOptions = Pick<Options, 'mcpServers' | 'onElicitation' | 'permissionPromptToolName' | 'toolAliases'>;

/** Begins to reach the servers that the options name. Where they name none, nothing is loaded until `set` brings one. */
export function sessionServers(options: ServerOptions, env: Environment): SessionServers {
  const { mcpServers = {}, permissionPromptToolName: promptTool, toolAliases = {}, onElicitation } = options;
  const isNamed = Object.keys(mcpServers).length > 0;
  let loading = isNamed ? load() : undefined;
  const first = loading?.then((servers) => servers.set(mcpServers));
  first?.catch(() => {});
  const aliases = Object.entries(toolAliases);
  const replaced = replacedTools(Object.keys(toolAliases));
  replaced.catch(() => {});

  async function load(): Promise<McpServers> {
    const { createMcpServers } = await import('./mcp-servers.ts');
    const elicit = onElicitation && (await import('./elicitation.ts')).elicitBy(onElicitation);
    return createMcpServers({
      connectTimeoutMs: milliseconds(env['MCP_TIMEOUT']) ?? 30_000,
      callTimeoutMs: milliseconds(env['MCP_TOOL_TIMEOUT']),
      elicit,
    });
  }

  async function loaded(): Promise<McpServers | undefined> {
    await first;
    return await loading;
  }

  async function existing(name: string): Promise<McpServers> {
    const servers = await loaded();
    if (servers !== undefined) return servers;
    throw new RondoError('mcp.server_not_found', `Server not found: ${name}`, { details: { server: name } });
  }

  async function askerOf(servers: McpServers | undefined): Promise<Asker | undefined> {
    if (promptTool === undefined) return undefined;
    if (servers?.find(promptTool) === undefined) throw noPromptTool(promptTool, servers?.status() ?? []);
    const { permissionPromptTool } = await import('./permission-prompt-tool.ts');
    return permissionPromptTool({ name: promptTool, servers, timeoutMs: milliseconds(env['MCP_TOOL_TIMEOUT']) });
  }

  /** Said once of each. */
  const toldMissing = new Set<string>();
  function untold(missing: readonly (readonly [string, string])[]): string[] {
    return missing.flatMap(([name, target]) => {
      if (toldMissing.has(name)) return [];
      toldMissing.add(name);
      return [`${name} is not there: ${target}, which is to run in its place, is no tool of a server.`];
    });
  }

  let isClosed = false;
  let asker: Promise<Asker | undefined> | undefined;
  return {
    async equip(binding, { tells }) {
      // Nearly all sessions have none of it.
      if (loading === undefined && promptTool === undefined && aliases.length === 0) return binding;
      const servers = await loaded();
      asker ??= askerOf(servers);
      const bound = await asker;
      const turn: TurnServers = (await servers?.forTurn({ tells })) ?? { servers: [], tools: [], notices: [] };
      const builtin = await replaced;
      const offered = turn.tools.map(({ tool }) => tool).filter(({ name }) => name !== promptTool);
      const missing = aliases.filter(([, target]) => !offered.some(({ name }) => name === target));
      return {
        ...binding,
        tools: [
          ...binding.tools.filter(({ name }) => !Object.hasOwn(toolAliases, name)),
          ...offered.map((tool) => standingFor(tool, aliases, builtin)),
        ],
        ...(turn.servers.length === 0 ? {} : { mcpServers: turn.servers.map((server) => without(server, promptTool)) }),
        ...(aliases.length === 0 ? {} : { toolAliases }),
        notices: [...(binding.notices ?? []), ...turn.notices, ...(tells ? untold(missing) : [])],
        ...(bound === undefined ? {} : { asker: bound, unattended: 'wait' as const }),
      };
    },
    status: async () => (await loaded())?.status() ?? [],
    async set(servers) {
      await first;
      if (loading === undefined && Object.keys(servers).length === 0) return { added: [], removed: [], errors: {} };
      if (isClosed) throw new RondoError('channel.closed', 'The session is closed: no servers are reached any more.');
      loading ??= load();
      return await (await loading).set(servers);
    },
    reconnect: async (name) => await (await existing(name)).reconnect(name),
    toggle: async (name, enabled) => await (await existing(name)).toggle(name, enabled),
    async close() {
      isClosed = true;
      await (await loading?.catch(() => undefined))?.close();
    },
  };
}

function standingFor(
  tool: Tool,
  aliases: readonly (readonly [string, string])[],
  builtin: ReadonlyMap<string, Tool>,
): Tool {
  const [name] = aliases.find(([, target]) => target === tool.name) ?? [];
  if (name === undefined) return tool;
  const replaced = builtin.get(name);
  return { ...tool, standsFor: { name, ...(replaced === undefined ? {} : { tool: replaced }) } };
}

/** The built-in tools of those names: rules are about what they do. */
async function replacedTools(names: readonly string[]): Promise<ReadonlyMap<string, Tool>> {
  if (names.length === 0) return new Map();
  const { builtinTools } = await loadTools();
  return new Map(Object.values(builtinTools).map((tool) => [tool.name, tool]));
}

function without<Server extends TurnServers['servers'][number]>(server: Server, tool: string | undefined): Server {
  return { ...server, tools: server.tools.filter((name) => name !== tool) };
}

function noPromptTool(name: string, servers: readonly McpServerStatus[]): RondoError {
  const there = servers.map((server) =>
    server.status === 'connected' ? server.name : `${server.name} (${server.status})`,
  );
  const known = there.length === 0 ? 'there are no servers' : `the servers are ${there.join(', ')}`;
  const message = `options.permissionPromptToolName: there is no tool ${name}; ${known}. It takes the name of a tool of options.mcpServers, such as mcp__server__tool.`;
  return new RondoError('input.invalid', message, { details: { option: 'permissionPromptToolName' } });
}

function milliseconds(text: string | undefined): number | undefined {
  const value = text !== undefined && /^\d+$/.test(text) ? Number(text) : 0;
  return value > 0 && value < 2 ** 31 ? value : undefined;
}
