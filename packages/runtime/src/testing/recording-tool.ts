import { appendFileSync } from 'node:fs';
import type { JsonObject, ToolEffect } from '@rondo/protocol';
import { defineTool, type ToolDefinition } from '../tool/define-tool.ts';
import type { Tool, ToolContext, ToolResult } from '../tool/tool.ts';

/** What a call gives: a text, a result, an error that is thrown, or what a function makes of the call. */
export type RecordedResult =
  | string
  | ToolResult
  | Error
  | ((input: JsonObject, context: ToolContext) => string | ToolResult | Promise<string | ToolResult>);

type Definition = ToolDefinition<{ readonly type: 'object' }>;

export interface RecordingToolOptions extends Partial<Omit<Definition, 'run' | 'input' | 'effect' | 'access'>> {
  readonly name: string;
  /** Any object unless said. */
  readonly input?: { readonly type: 'object'; readonly [keyword: string]: unknown };
  readonly effect?: ToolEffect | ((input: JsonObject) => ToolEffect);
  readonly access?: (input: JsonObject) => ReturnType<Tool['access']>;
  /** One a call, in order; a call beyond them throws. Absent: every call gives `ok`. */
  readonly results?: readonly RecordedResult[];
  /** Gets a line of JSON a call, as the call begins: an effect that happens twice shows, whatever process did it. */
  readonly file?: string;
}

export interface RecordedCall {
  readonly input: JsonObject;
  readonly context: ToolContext;
}

export interface RecordingTool extends Tool {
  readonly calls: readonly RecordedCall[];
}

/** A tool that records its calls and gives what it is told. */
export function recordingTool(options: RecordingToolOptions): RecordingTool {
  const {
    results,
    file,
    input = { type: 'object' },
    description = `records calls of ${options.name}`,
    ...rest
  } = options;
  const calls: RecordedCall[] = [];
  const left = results === undefined ? undefined : [...results];
  const tool = defineTool({
    ...rest,
    description,
    input,
    run: async (given, context) => {
      calls.push({ input: given, context });
      if (file !== undefined) {
        const { callId, idempotencyKey } = context;
        appendFileSync(file, `${JSON.stringify({ tool: options.name, callId, idempotencyKey, input: given })}\n`);
      }
      if (left === undefined) return 'ok';
      const result = left.shift();
      if (result === undefined) throw new Error(`${options.name} has no result for call ${calls.length}`);
      if (result instanceof Error) throw result;
      return typeof result === 'function' ? await result(given, context) : result;
    },
  });
  // A copy would lose the brand that `defineTool` gives; the frozen tool stays underneath.
  return Object.create(tool, { calls: { value: calls, enumerable: true } }) as RecordingTool;
}
