import { type ClientToolStub, clientToolId } from './client-tool.ts';

/** The client tools that a handle knows, by ID. Under an ID that two of them share nothing is known. */
export type KnownTools = ReadonlyMap<string, ClientToolStub | undefined>;

export function knownTools(tools: readonly ClientToolStub[] = []): KnownTools {
  const known = new Map<string, ClientToolStub | undefined>();
  for (const tool of tools) {
    const id = clientToolId(tool.name);
    known.set(id, known.has(id) && known.get(id) !== tool ? undefined : tool);
  }
  return known;
}

/** Whether the calls of a tool are the host's own to answer, not a program's. */
export function isPlatformTool(toolId: string): boolean {
  return toolId.startsWith('connectors.');
}
