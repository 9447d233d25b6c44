import { RondoError } from '@rondo/protocol/values';
import type { McpServerConfig } from '@rondo/sdk';
import type { ClientRequests } from './client-requests.ts';
import { type Frame, isFrame } from './read-frames.ts';
import { type ServerManifest, tunnelServer, type TunnelServer } from './tunnel-server.ts';

/** Servers as the option takes them, which judges those that are not of the client's program. */
export type ServerTable = Record<string, McpServerConfig>;

/** The MCP servers that a client names: those that live with it are reached through it. */
export interface ClientServers {
  /** @param others servers that were named elsewhere. */
  fromInitialize(fields: Frame, others: unknown): ServerTable;
  fromControl(servers: Frame): ServerTable;
  /** The names among these that were not named before. */
  unknown(names: unknown): readonly string[];
  /** @throws RondoError `input.invalid` for a server that no one has named. */
  receive(name: string, message: Frame): void;
}

export function createClientServers(requests: ClientRequests): ClientServers {
  const tunnels = new Map<string, TunnelServer>();

  function tunnelOf(name: string, manifest?: ServerManifest): McpServerConfig {
    const instance = tunnels.get(name) ?? tunnelServer(name, requests, manifest);
    tunnels.set(name, instance);
    return { type: 'sdk', name, instance };
  }

  return {
    unknown: (names) => textsOf(names).filter((name) => !tunnels.has(name)),
    fromInitialize({ sdkMcpServers, sdkMcpServerManifests, mcpServers }, others) {
      const own = textsOf(sdkMcpServers);
      return {
        ...(isFrame(others) ? (others as ServerTable) : {}),
        ...(isFrame(mcpServers) ? (mcpServers as ServerTable) : {}),
        ...Object.fromEntries(own.map((name) => [name, tunnelOf(name, manifestOf(sdkMcpServerManifests, name))])),
      };
    },
    fromControl(servers) {
      return Object.fromEntries(
        Object.entries(servers).map(([name, server]) => {
          const isOwn = isFrame(server) && server['type'] === 'sdk';
          return [name, isOwn ? tunnelOf(name) : (server as McpServerConfig)];
        }),
      );
    },
    receive(name, message) {
      const tunnel = tunnels.get(name);
      if (tunnel === undefined) throw new RondoError('input.invalid', `Server not found: ${name}`);
      tunnel.receive(message);
    },
  };
}

function textsOf(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.filter((each) => typeof each === 'string') : [];
}

function manifestOf(manifests: unknown, name: string): ServerManifest | undefined {
  const manifest = isFrame(manifests) && Object.hasOwn(manifests, name) ? manifests[name] : undefined;
  if (!isFrame(manifest)) return undefined;
  const { initializeResult, toolsListResult } = manifest;
  return isFrame(initializeResult) && isFrame(toolsListResult) ? { initializeResult, toolsListResult } : undefined;
}
