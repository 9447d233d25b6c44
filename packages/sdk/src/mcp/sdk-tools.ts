import type { JsonObject } from '@rondo/protocol';
import type { McpToolDescription } from '@rondo/mcp';
import type { InputProblem } from '@rondo/runtime';
import { checkShape, checkShapeAsync } from './raw-shape.ts';
import type { SdkMcpToolDefinition, ToolHandlerExtra } from './tool.ts';

/** The tools of a server of this program, described and called. */
export interface SdkTools {
  describe(): Promise<readonly McpToolDescription[]>;
  /** Undefined where only the call can tell. */
  problemsOf(name: string, input: JsonObject): readonly InputProblem[] | undefined;
  /** Gives what the handler gives, or a failed result that says why. Undefined for a tool that is not there. */
  call(name: string, input: JsonObject, extra: ToolHandlerExtra): Promise<unknown>;
}

export function createSdkTools(definitions: readonly SdkMcpToolDefinition[]): SdkTools {
  const tools = new Map(definitions.map((tool) => [tool.name, tool]));
  let described: Promise<readonly McpToolDescription[]> | undefined;
  return {
    describe: () => (described ??= Promise.all(definitions.map(describeTool))),
    problemsOf(name, input) {
      const tool = tools.get(name);
      const checked = tool === undefined ? undefined : checkShape(tool.inputSchema, input);
      return checked?.ok === false ? checked.problems : checked && [];
    },
    async call(name, input, extra) {
      const tool = tools.get(name);
      return tool === undefined ? undefined : await callTool(tool, input, extra);
    },
  };
}

async function describeTool({
  name,
  description,
  inputSchema,
  annotations,
  _meta,
}: SdkMcpToolDefinition): Promise<McpToolDescription> {
  const { shapeJsonSchema } = await import('./shape-json-schema.ts');
  const common = {
    name,
    description,
    ...(annotations === undefined ? {} : { annotations }),
    ...(annotations?.title === undefined ? {} : { title: annotations.title }),
    ...(_meta === undefined ? {} : { meta: _meta as JsonObject }),
  };
  try {
    return { ...common, inputSchema: await shapeJsonSchema(inputSchema) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ...common, inputSchema: undefined, unusable: `its input schema has no JSON Schema (${why})` };
  }
}

async function callTool(tool: SdkMcpToolDefinition, input: JsonObject, extra: ToolHandlerExtra): Promise<unknown> {
  try {
    const checked = checkShape(tool.inputSchema, input) ?? (await checkShapeAsync(tool.inputSchema, input));
    if (!checked.ok) return failed(misfit(tool.name, checked.problems));
    return await tool.handler(checked.value, extra);
  } catch (error) {
    return failed(
      error instanceof Error && error.message !== '' ? error.message : `${tool.name} failed: ${String(error)}`,
    );
  }
}

function misfit(name: string, problems: readonly InputProblem[]): string {
  return `The arguments of ${name} do not fit:\n${problems.map(({ path, message }) => `${path}: ${message}`).join('\n')}`;
}

function failed(text: string): unknown {
  return { content: [{ type: 'text', text }], isError: true };
}
