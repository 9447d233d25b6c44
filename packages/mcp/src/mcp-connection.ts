import type { JsonObject, JsonValue, ToolAnnotations } from '@rondo/protocol';
import type { InputProblem } from '@rondo/runtime';

/** Who a server says that it is. */
export interface McpServerInfo {
  readonly name: string;
  readonly version: string;
}

/** A tool as its server describes it. Nothing in it has been checked. */
export interface McpToolDescription {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: unknown;
  readonly annotations?: ToolAnnotations;
  readonly meta?: JsonObject;
  /** Why its server cannot offer it: it is named, and never called. */
  readonly unusable?: string;
}

export interface ConnectOptions {
  readonly signal: AbortSignal;
  /** How this program calls itself. */
  readonly clientInfo: McpServerInfo;
}

/** Asks a person in a server's name, by the fields of `elicitation/create`. Never rejects. */
export type Elicit = (params: JsonObject, options: { readonly signal: AbortSignal }) => Promise<JsonObject>;

export interface CallOptions {
  /** Aborts when nobody waits for the result any more. */
  readonly signal: AbortSignal;
  /** The model's ID of the call. */
  readonly toolCallId?: string;
  /** Hears how far the call has got. */
  readonly progress?: (value: JsonValue) => void;
  /** Without it, what the server wants to know of a person is declined. */
  readonly elicit?: Elicit | undefined;
}

/**
 * A server that was reached once. When it is lost, `status` says so, calls fail at once, and whoever wants it back connects
 * anew.
 */
export interface McpConnection {
  readonly serverInfo: McpServerInfo;
  /** As they are now. */
  readonly tools: readonly McpToolDescription[];
  readonly status: 'connected' | 'failed';
  /** Why it has failed. */
  readonly error?: string;
  /** What is wrong with a call's arguments; undefined where only the server can tell. */
  problemsOf(name: string, input: JsonObject): readonly InputProblem[] | undefined;
  /** Asks a server that can tell, and is elsewhere. Empty where nothing is wrong, or there is no answer. Never rejects. */
  askProblems?(
    name: string,
    input: JsonObject,
    options: { readonly signal: AbortSignal },
  ): Promise<readonly InputProblem[]>;
  /** Gives what the server gave, unread. @throws Error when there is no answer, or an error instead of a result. */
  callTool(name: string, input: JsonObject, options: CallOptions): Promise<unknown>;
  /** Leaves the server. Never rejects; a second time does nothing. */
  close(): Promise<void>;
}
