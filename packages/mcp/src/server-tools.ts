import type { JsonObject, JsonValue } from '@rondo/protocol';
import { ToolError } from '@rondo/protocol/values';
import type { InputProblem, Tool, ToolContext, ToolResult, ToolSpecification } from '@rondo/runtime';
import { errorText } from './error-text.ts';
import { isObject } from './is-object.ts';
import { keepLongText } from './keep-long-text.ts';
import type { Elicit, McpConnection, McpToolDescription } from './mcp-connection.ts';
import { readToolResult } from './read-tool-result.ts';
import { sendableSchema } from './sendable-schema.ts';
import { mcpToolName } from './tool-name.ts';

export interface ServerToolsOptions {
  /** What the session calls the server. */
  readonly server: string;
  readonly described: readonly McpToolDescription[];
  /** The connection as it is when a call begins; undefined while there is none, and why. */
  readonly connection: () => McpConnection | { readonly error: string };
  /** Milliseconds after which a call has failed; without it, calls take as long as they take. */
  readonly callTimeoutMs?: number | undefined;
  /** Asks a person in the server's name. */
  readonly elicit?: Elicit | undefined;
  /** Names that other tools have. */
  readonly taken?: ReadonlySet<string>;
}

/** A tool of a server, as the engine runs it. */
export interface ServerTool {
  /** What its server calls it. */
  readonly name: string;
  readonly tool: Tool;
}

export interface ServerTools {
  readonly tools: readonly ServerTool[];
  /** Tools that are left out, and why, for people. */
  readonly problems: readonly string[];
}

/** The tools of a server that a model can be told of. One that cannot be is left out, and nothing else is. */
export function serverTools(options: ServerToolsOptions): ServerTools {
  const { server, described, taken = new Set() } = options;
  const tools: ServerTool[] = [];
  const problems: string[] = [];
  const names = new Set<string>();
  for (const description of described) {
    const name = mcpToolName(server, description.name);
    const schema = description.unusable === undefined ? sendableSchema(description.inputSchema) : undefined;
    const problem =
      description.unusable ??
      (name === undefined
        ? 'its name is too long, or has no letter'
        : names.has(name) || taken.has(name)
          ? `${name} is another tool's name already`
          : schema?.ok === false
            ? schema.problem
            : undefined);
    if (problem !== undefined || name === undefined || schema?.ok !== true) {
      problems.push(`MCP server ${server}: its tool ${brief(description.name)} is left out, since ${problem}.`);
      continue;
    }
    names.add(name);
    tools.push({ name: description.name, tool: serverTool(name, schema.schema, description, options) });
  }
  return { tools, problems };
}

/** Of hints, only those count that make a tool's calls be asked about; `readOnlyHint` lets them run beside each other. */
function serverTool(
  name: string,
  inputSchema: JsonObject,
  described: McpToolDescription,
  { server, connection, callTimeoutMs, elicit }: ServerToolsOptions,
): Tool {
  const { title, annotations, meta, description = '' } = described;
  const specification: ToolSpecification = Object.freeze({ name, description, inputSchema });
  return {
    name,
    ...(title === undefined ? {} : { title }),
    description,
    kind: 'mcp',
    source: server,
    ...(annotations === undefined ? {} : { annotations }),
    ruleContent: 'none',
    ...(needsPerson(meta) ? { requiresPerson: true } : {}),
    ...(annotations?.readOnlyHint === true ? { concurrent: true } : {}),
    specification: () => specification,
    validate(input) {
      if (!isObject(input)) return { ok: false, problems: [{ path: '', message: 'must be an object' }] };
      const now = connection();
      const problems = 'callTool' in now ? problemsOf(now, described.name, input) : undefined;
      return problems === undefined || problems.length === 0 ? { ok: true, input } : { ok: false, problems };
    },
    async askProblems(input, { signal: stopped }) {
      const now = connection();
      if (!('callTool' in now) || now.askProblems === undefined) return [];
      const late = callTimeoutMs === undefined ? [] : [AbortSignal.timeout(callTimeoutMs)];
      return await now.askProblems(described.name, input, { signal: AbortSignal.any([stopped, ...late]) });
    },
    // Whatever a server says of its tools, nobody has checked: a call that was cut off is never made again.
    effect: () => 'once',
    access: () => ({}),
    async run(input, context) {
      const now = connection();
      if (!('callTool' in now)) throw new ToolError(`The MCP server ${server} is not connected: ${now.error}`);
      const given = await answerOf(now, { server, tool: described.name, input, context, callTimeoutMs, elicit });
      return await keepLongText(readAnswer(given, server), context);
    },
  };
}

function problemsOf(connection: McpConnection, name: string, input: JsonObject): readonly InputProblem[] | undefined {
  try {
    return connection.problemsOf(name, input);
  } catch {
    // The server says what it does not take when it is called.
    return undefined;
  }
}

interface AskedCall {
  readonly server: string;
  readonly tool: string;
  readonly input: JsonObject;
  readonly context: ToolContext;
  readonly callTimeoutMs: number | undefined;
  readonly elicit: Elicit | undefined;
}

/** @throws ToolError saying which server did not answer, and why. */
async function answerOf(connection: McpConnection, asked: AskedCall): Promise<unknown> {
  const { server, tool, input, context, callTimeoutMs, elicit } = asked;
  const { toolCallId } = context;
  const controller = new AbortController();
  const signal = AbortSignal.any([context.signal, controller.signal]);
  const over = Promise.withResolvers<never>();
  over.promise.catch(() => {});
  const giveUp = (): void => {
    const error = new Error(`it gave no answer within ${callTimeoutMs} ms`);
    controller.abort(error);
    over.reject(error);
  };
  const timer = callTimeoutMs === undefined ? undefined : setTimeout(giveUp, callTimeoutMs);
  const progress = (value: JsonValue): void => context.progress(value);
  try {
    return await Promise.race([
      connection.callTool(tool, input, { signal, toolCallId, progress, elicit }),
      over.promise,
    ]);
  } catch (error) {
    throw new ToolError(`The MCP server ${server} failed this call: ${errorText(error)}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

function readAnswer(given: unknown, server: string): ToolResult {
  try {
    return readToolResult(given);
  } catch (error) {
    const message = `The MCP server ${server} answered this call with what is no result of a tool: ${errorText(error)}`;
    throw new ToolError(message, { cause: error });
  }
}

/** `vendor/requiresUserInteraction`, whoever the vendor: it can only make more calls be asked about. */
function needsPerson(meta: JsonObject | undefined): boolean {
  return Object.entries(meta ?? {}).some(
    ([key, value]) => /(^|\/)requiresUserInteraction$/.test(key) && value === true,
  );
}

function brief(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
}
