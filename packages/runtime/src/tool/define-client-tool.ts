import type { JsonObject, ToolAnnotations } from '@rondo/protocol';
import { defineTool, type ToolInputSchema } from './define-tool.ts';
import type { Tool } from './tool.ts';

export interface ClientToolDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly input: ToolInputSchema;
  /** The JSON Schema that the model sees, where `input` cannot say it itself. */
  readonly inputSchema?: JsonObject;
  /** `none` for a tool that only reads: such calls are open at once. Otherwise calls are asked one after the other. */
  readonly effect?: 'none' | 'idempotent';
  readonly annotations?: ToolAnnotations;
}

/**
 * A tool that lives with the session's client: a call that is permitted opens a question, and its answer is the call's
 * result. After a crash it is asked again under the same ID.
 */
export function defineClientTool(definition: ClientToolDefinition): Tool {
  const { effect = 'idempotent', ...rest } = definition;
  return defineTool({ ...rest, kind: 'client', effect, run: (_input, context) => context.askClient() });
}
