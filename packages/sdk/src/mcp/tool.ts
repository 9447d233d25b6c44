import type { ToolAnnotations } from '@rondo/protocol';
import type { CallToolResult } from './call-tool-result.ts';
import { type AnyZodRawShape, checkRawShape, type InferShape } from './raw-shape.ts';

/** What a handler hears beside its arguments. */
export interface ToolHandlerExtra {
  /** Aborts when nobody waits for the result any more, as after an interrupt. */
  signal: AbortSignal;
  /** The call's name: the model's where a session calls, the request's where a message did. */
  requestId: string | number;
  _meta?: Record<string, unknown>;
  /** `notifications/progress` is shown to whoever watches; others go to a connected client, if there is one. */
  sendNotification(notification: { method: string; params?: Record<string, unknown> }): Promise<void>;
  /** Asks the client. Where a session calls, `elicitation/create` is put to `onElicitation`, or declined; nothing else is served. */
  sendRequest(request: { method: string; params?: Record<string, unknown> }): Promise<unknown>;
}

/** A tool for `createSdkMcpServer()`, made by `tool()`. */
export interface SdkMcpToolDefinition<Schema extends AnyZodRawShape = AnyZodRawShape> {
  name: string;
  description: string;
  inputSchema: Schema;
  // A method, so that tools of different shapes go in one list.
  handler(args: InferShape<Schema>, extra: unknown): Promise<CallToolResult>;
  annotations?: ToolAnnotations;
  _meta?: Record<string, unknown>;
}

/**
 * Defines a tool that runs in this program. Its arguments are checked against the shape, of zod 3 or zod 4, before the
 * handler gets them; a handler that throws has failed its call, and the model reads the error's message.
 * @param extras hints for whoever calls: none makes a call be asked about less. `_meta` goes to clients as it is.
 * @throws TypeError for a definition that could never be called.
 */
export function tool<Schema extends AnyZodRawShape>(
  name: string,
  description: string,
  inputSchema: Schema,
  handler: (args: InferShape<Schema>, extra: unknown) => Promise<CallToolResult>,
  extras: { annotations?: ToolAnnotations; _meta?: Record<string, unknown> } = {},
): SdkMcpToolDefinition<Schema> {
  const problem = (what: string): TypeError => new TypeError(`tool(${JSON.stringify(name)}): ${what}`);
  if (typeof name !== 'string' || name.trim() === '') throw problem('name must be a text that names it');
  if (typeof description !== 'string') throw problem('description must be a text, it is what the model chooses by');
  if (typeof handler !== 'function') throw problem('handler must be a function');
  const misfit = checkRawShape(inputSchema);
  if (misfit !== undefined) throw problem(misfit);
  const { annotations, _meta } = extras;
  return {
    name,
    description,
    inputSchema,
    handler,
    ...(annotations === undefined ? {} : { annotations }),
    ...(_meta === undefined ? {} : { _meta }),
  };
}
