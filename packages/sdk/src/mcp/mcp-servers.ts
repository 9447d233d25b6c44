import {
  type Elicit,
  type McpConnection,
  serverPart,
  serverTools,
  type ServerTool,
  type ServerTools,
} from '@rondo/mcp';
import type { McpServerStatus, McpSetServersResult } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import type { BoundMcpServer } from '@rondo/runtime';
import type { McpServerConfig } from './mcp-server-config.ts';
import { serverProblem } from './server-problem.ts';
import { createServerSlot, type ServerSlot } from './server-slot.ts';

export interface McpServersOptions {
  readonly connectTimeoutMs: number;
  readonly callTimeoutMs: number | undefined;
  /** Asks the person in a server's name. */
  readonly elicit?: ((server: string) => Elicit) | undefined;
}

/** What a turn has of its servers. */
export interface TurnServers {
  readonly servers: readonly BoundMcpServer[];
  readonly tools: readonly ServerTool[];
  /** What has not been told before: servers that failed, tools that are left out. */
  readonly notices: readonly string[];
}

/** The servers of one session. */
export interface McpServers {
  /** What a turn that begins now has. Where it is told, connections that were given up are left for good. */
  forTurn(turn: { readonly tells: boolean }): Promise<TurnServers>;
  /** A server's tool by its full name, and what it is called there. */
  find(toolName: string): { readonly slot: ServerSlot; readonly tool: string } | undefined;
  status(): McpServerStatus[];
  set(servers: Readonly<Record<string, McpServerConfig>>): Promise<McpSetServersResult>;
  reconnect(name: string): Promise<void>;
  toggle(name: string, enabled: boolean): Promise<void>;
  /** Leaves all of them, also those that are still being reached. Nothing is reached from then on. */
  close(): Promise<void>;
}

export function createMcpServers({ connectTimeoutMs, callTimeoutMs, elicit }: McpServersOptions): McpServers {
  const slots = new Map<string, ServerSlot>();
  /** Calls of the turn at work may still go there. */
  const leaving: ServerSlot[] = [];
  const told = new Set<string>();
  let isClosed = false;
  const made = new WeakMap<McpConnection['tools'], { readonly key: string; readonly tools: ServerTools }>();

  function known(name: string): ServerSlot {
    const slot = slots.get(name);
    if (slot !== undefined) return slot;
    throw new RondoError('mcp.server_not_found', `Server not found: ${name}`, { details: { server: name } });
  }

  function assertOpen(): void {
    if (isClosed) throw new RondoError('channel.closed', 'The session is closed: its servers are left.');
  }

  /** The tools of a server are made once, as long as it has the same. */
  function toolsOf(slot: ServerSlot, taken: ReadonlySet<string>): ServerTools {
    const connection = slot.reached();
    if (!('callTool' in connection)) return { tools: [], problems: [] };
    const described = connection.tools;
    const key = `${slot.name} ${[...taken].join(' ')}`;
    const before = made.get(described);
    if (before?.key === key) return before.tools;
    const tools = serverTools({
      server: slot.name,
      described,
      connection: slot.reached,
      callTimeoutMs,
      elicit: elicit?.(slot.name),
      taken,
    });
    made.set(described, { key, tools });
    return tools;
  }

  function current(): readonly (ServerTools & { readonly slot: ServerSlot })[] {
    const taken = new Set<string>();
    return [...slots.values()].map((slot) => {
      const found = toolsOf(slot, taken);
      for (const { tool } of found.tools) taken.add(tool.name);
      return { slot, ...found };
    });
  }

  function untold(notices: readonly string[]): readonly string[] {
    const fresh = notices.filter((notice) => !told.has(notice));
    for (const notice of fresh) told.add(notice);
    return fresh;
  }

  async function add(name: string, config: Extract<McpServerConfig, { type: 'sdk' }>): Promise<string | undefined> {
    const part = serverPart(name);
    const other = [...slots.keys()].find((one) => serverPart(one) === part);
    const refusal =
      other === undefined
        ? undefined
        : `its tools would be named like those of the server ${other}: rename one of them`;
    const slot = createServerSlot({ name, instance: config.instance, connectTimeoutMs, refusal });
    if (isClosed) return 'the session is closed';
    slots.set(name, slot);
    await slot.connect();
    return slot.error();
  }

  return {
    async forTurn({ tells }) {
      if (tells) await Promise.all(leaving.splice(0).map((slot) => slot.leave()));
      const found = current();
      return {
        servers: found.map(({ slot, tools }) => ({
          name: slot.name,
          status: slot.status(),
          tools: tools.map(({ tool }) => tool.name),
        })),
        tools: found.flatMap(({ tools }) => tools),
        notices: (tells ? untold : () => [])([
          ...found.flatMap(({ slot }) => {
            const error = slot.error();
            return error === undefined ? [] : [`The MCP server ${slot.name} has failed: ${error}.`];
          }),
          ...found.flatMap(({ problems }) => problems),
        ]),
      };
    },
    find(toolName) {
      for (const { slot, tools } of current()) {
        const found = tools.find(({ tool }) => tool.name === toolName);
        if (found !== undefined) return { slot, tool: found.name };
      }
      return undefined;
    },
    status: () => [...slots.values()].map(statusOf),
    async set(servers) {
      const wanted = new Map<string, Extract<McpServerConfig, { type: 'sdk' }>>();
      const errors: Record<string, string> = {};
      for (const [name, config] of Object.entries(servers)) {
        const problem = serverProblem(config);
        if (problem !== undefined) errors[name] = `${name} ${problem}.`;
        else if (config.type === 'sdk') wanted.set(name, config);
      }
      const removed = [...slots.values()].filter((slot) => wanted.get(slot.name)?.instance !== slot.instance);
      for (const slot of removed) {
        slots.delete(slot.name);
        leaving.push(slot);
      }
      const added = [...wanted].filter(([name]) => !slots.has(name));
      await Promise.all(
        added.map(async ([name, config]) => {
          const error = await add(name, config);
          if (error !== undefined) errors[name] = error;
        }),
      );
      return { added: added.map(([name]) => name), removed: removed.map(({ name }) => name), errors };
    },
    async reconnect(name) {
      const slot = known(name);
      assertOpen();
      if (slot.status() === 'disabled')
        throw new RondoError('input.invalid', `Server ${name} is disabled: toggleMcpServer() enables it.`);
      await slot.connect();
      const error = slot.error();
      if (error !== undefined)
        throw new RondoError('mcp.server_failed', `Server ${name} cannot be reached: ${error}`, {
          details: { server: name },
        });
    },
    async toggle(name, enabled) {
      const slot = known(name);
      assertOpen();
      if (!enabled) await slot.disable();
      else if (slot.status() === 'disabled') await slot.connect();
    },
    async close() {
      isClosed = true;
      await Promise.all([...slots.values(), ...leaving].map((slot) => slot.leave()));
    },
  };
}

function statusOf(slot: ServerSlot): McpServerStatus {
  const connection = slot.reached();
  const error = slot.error();
  const common = { name: slot.name, status: slot.status(), config: { type: 'sdk' as const, name: slot.name } };
  const placed = { ...common, scope: 'dynamic', ...(error === undefined ? {} : { error }) };
  if (!('callTool' in connection)) return placed;
  const { name, version } = connection.serverInfo;
  return { ...placed, serverInfo: { name, version }, tools: connection.tools.map(toolStatus) };
}

function toolStatus({ name, description, annotations = {} }: McpConnection['tools'][number]) {
  const { readOnlyHint: readOnly, destructiveHint: destructive, openWorldHint: openWorld } = annotations;
  return {
    name,
    ...(description === undefined ? {} : { description }),
    annotations: {
      ...(readOnly === undefined ? {} : { readOnly }),
      ...(destructive === undefined ? {} : { destructive }),
      ...(openWorld === undefined ? {} : { openWorld }),
    },
  };
}
