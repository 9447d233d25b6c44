import type { JsonObject, StandardSchema, ToolAnnotations } from '@rondo/protocol';
import type { ClientToolResult, ToolValue } from '../answer/answer.ts';
import type { ClientToolCall } from './handler-options.ts';

const mark = Symbol.for('rondo.clientTool.v0');

/** What a tool's arguments or result are described with: a Standard Schema (zod and others), or a JSON Schema. */
export type ClientToolSchema = StandardSchema | JsonObject;

/** What a schema accepts; of a JSON Schema nothing is known. */
export type SchemaValue<Schema> = Schema extends StandardSchema<infer Output> ? Output : ToolValue;

export interface ClientToolOptions<Input extends ClientToolSchema, Output extends ClientToolSchema> {
  /** 1 to 256 letters, digits, `_`, `-` and `.`. */
  readonly name: string;
  readonly title?: string;
  /** What the model chooses by. */
  readonly description: string;
  /** Of an object: the arguments. */
  readonly inputSchema: Input;
  /**
   * What the result is. A Standard Schema is checked wherever the tool is known; a JSON Schema describes only: what is sent
   * is not held against it.
   */
  readonly outputSchema?: Output;
  readonly annotations?: ToolAnnotations;
  /** `none` for a tool that only reads: its calls are asked for at once, otherwise one after the other. */
  readonly effect?: 'none' | 'idempotent';
}

/** A function that answers the calls of one tool. What it throws goes by the `toolErrors` of the handle. */
export type ClientToolFunction<Arguments, Result> = (
  args: Arguments,
  call: ClientToolCall,
) => Result | ClientToolResult | Promise<Result | ClientToolResult>;

/** What a handle knows of a client tool. */
export interface ClientToolStub {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: ClientToolSchema;
  readonly outputSchema?: ClientToolSchema;
  readonly annotations?: ToolAnnotations;
  readonly effect?: 'none' | 'idempotent';
  /** Answers its calls during waits, where the handle has no `onClientTool`. */
  readonly run?: ClientToolFunction<never, unknown>;
}

/** A tool that an agent declares to its model and that lives outside of it: its calls are answered through callbacks. */
export interface ClientTool<Arguments = never, Result = unknown> extends ClientToolStub {
  readonly run?: ClientToolFunction<Arguments, Result>;
  /** The same tool, answered by this function. */
  answer(run: ClientToolFunction<Arguments, Result>): ClientTool<Arguments, Result>;
}

/** @throws TypeError naming what cannot be. */
export function clientTool<const Input extends ClientToolSchema, const Output extends ClientToolSchema = JsonObject>(
  options: ClientToolOptions<Input, Output>,
): ClientTool<SchemaValue<Input>, SchemaValue<Output>> {
  const { name, description, inputSchema, outputSchema } = options;
  if (typeof name !== 'string' || name === '') throw new TypeError('a client tool needs a name, a string');
  if (typeof description !== 'string')
    throw new TypeError(`client tool ${name}: description must be a text, it is what the model chooses by`);
  for (const [field, schema] of Object.entries({ inputSchema, outputSchema })) {
    if (schema === undefined && field === 'outputSchema') continue;
    if ((typeof schema !== 'object' && typeof schema !== 'function') || schema === null)
      throw new TypeError(`client tool ${name}: ${field} must be a schema`);
  }
  return make(options, undefined);
}

/** True for a tool made by `clientTool` of any copy of this package. */
export function isClientTool(value: unknown): value is ClientToolStub {
  return typeof value === 'object' && value !== null && mark in value;
}

/** The ID that calls of a tool of this name carry: your own tools are in the namespace `client`. */
export function clientToolId(name: string): string {
  return name.includes('.') ? name : `client.${name}`;
}

function make<Arguments, Result>(
  options: ClientToolOptions<ClientToolSchema, ClientToolSchema>,
  run: ClientToolFunction<Arguments, Result> | undefined,
): ClientTool<Arguments, Result> {
  const tool = {
    ...options,
    ...(run === undefined ? {} : { run }),
    answer: (given: ClientToolFunction<Arguments, Result>) => make(options, given),
  };
  Object.defineProperty(tool, mark, { value: true });
  return Object.freeze(tool);
}
