import { type ClientToolStub, isClientTool } from '@rondo/client';
import { defineClientTool, type Tool, type ToolInputSchema } from '@rondo/runtime';

/** One a stub, so that what was asked of it once, such as its JSON Schema, is kept. */
const made = new WeakMap<ClientToolStub, Tool>();

/** The tool as the engine runs it: a client tool's calls become questions. @throws TypeError for a stub that cannot be one. */
export function engineTool(tool: Tool | ClientToolStub): Tool {
  if (!isClientTool(tool)) return tool;
  let known = made.get(tool);
  if (known === undefined) {
    const { name, title, description, inputSchema, annotations, effect } = tool;
    known = defineClientTool({
      name,
      ...(title === undefined ? {} : { title }),
      description,
      // What it is not, a schema, defineTool says.
      input: inputSchema as ToolInputSchema,
      ...(annotations === undefined ? {} : { annotations }),
      ...(effect === undefined ? {} : { effect }),
    });
    made.set(tool, known);
  }
  return known;
}
