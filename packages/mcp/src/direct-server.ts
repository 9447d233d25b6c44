import type { JsonObject, JsonValue } from '@rondo/protocol';
import type { InputProblem } from '@rondo/runtime';
import type { CallOptions, McpServerInfo, McpToolDescription } from './mcp-connection.ts';
import type { McpServer } from './mcp-server.ts';

const mark = Symbol.for('rondo.mcpServer.v0');

/** What a server asks of whoever calls it: `elicitation/create` and the like. */
export type ClientRequest = (method: string, params: JsonObject) => Promise<JsonValue>;

/** A call without messages in between. */
export interface DirectCallOptions extends CallOptions {
  readonly request: ClientRequest;
}

/** What a server of this program answers to whoever calls it as a function, not by messages. */
export interface DirectServer {
  readonly serverInfo: McpServerInfo;
  tools(): Promise<readonly McpToolDescription[]>;
  /** What is wrong with the arguments; undefined where only the call itself can tell. */
  problemsOf(name: string, input: JsonObject): readonly InputProblem[] | undefined;
  /** Gives what the handler gives. Throws only for a tool that is not there. */
  callTool(name: string, input: JsonObject, options: DirectCallOptions): Promise<unknown>;
}

/** A server bears it under the mark, so that copies of these packages understand each other. */
export function directServerOf(server: McpServer): DirectServer | undefined {
  return (server as { readonly [mark]?: DirectServer })[mark];
}
