import type { JsonObject, JsonValue, StandardSchema, ToolAnnotations, ToolEffect, ToolKind } from '@rondo/protocol';
import { isStandardSchema } from '@rondo/protocol/values';
import type { ToolSpecification } from '../model/model.ts';
import { compileJsonSchema } from './json-schema.ts';
import type { JsonSchemaValue } from './json-schema-value.ts';
import { validateStandard } from './standard-schema.ts';
import { type InputValues, isSessionInput, type SessionInputs } from './session-input.ts';
import { isToolName } from './tool-name.ts';
import type {
  InputProblem,
  Reconciliation,
  Tool,
  ToolAccess,
  ToolContext,
  ToolResult,
  ValidatedInput,
} from './tool.ts';

const mark = Symbol.for('rondo.tool.v0');

/** What a tool's input is described with: a Standard Schema (zod and others), or a JSON Schema of an object. */
export type ToolInputSchema = StandardSchema | { readonly type: 'object'; readonly [keyword: string]: unknown };

/** What `run` gets: the schema's output, defaults filled in. */
export type ToolInput<Schema> = Schema extends StandardSchema<infer Output> ? Output : JsonSchemaValue<Schema>;

/** What a tool's functions get: its session inputs under the tool's names for them, checked and typed. */
export type ToolContextOf<Inputs extends SessionInputs> = Omit<ToolContext, 'inputs'> & {
  readonly inputs: InputValues<Inputs>;
};

export interface ToolDefinition<Schema extends ToolInputSchema, Inputs extends SessionInputs = SessionInputs> {
  /**
   * 1 to 256 letters, digits, `_`, `-` and `.`. A name that not every provider takes (only 64 characters, ASCII, no `.`)
   * is offered to models under an alias and is itself everywhere else.
   */
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  /** `local` unless said. */
  readonly kind?: ToolKind;
  readonly input: Schema;
  /** The JSON Schema that the model sees, where `input` cannot say it itself. */
  readonly inputSchema?: JsonObject;
  /**
   * What a repeat would do, or a function of the input that says so; `once` unless said. Hints in `annotations` never
   * change it.
   */
  readonly effect?: ToolEffect | ((input: ToolInput<Schema>) => ToolEffect);
  readonly annotations?: ToolAnnotations;
  /** What a permission rule's content is compared with; `none` unless said. */
  readonly ruleContent?: Tool['ruleContent'];
  /** What the call reads, writes and runs, for the policy. Without it only rules for the whole tool can match. */
  readonly access?: (input: ToolInput<Schema>) => ToolAccess;
  readonly requiresPerson?: boolean;
  /** Session inputs that calls read as `context.inputs`. The model is not told of them. */
  readonly inputs?: Inputs;
  readonly delegates?: true;
  readonly prepare?: (input: ToolInput<Schema>, context: ToolContextOf<Inputs>) => Promise<JsonValue>;
  readonly reconcile?: (
    input: ToolInput<Schema>,
    prepared: JsonValue,
    context: ToolContextOf<Inputs>,
  ) => Promise<Reconciliation>;
  /** A string is the result's content. Throw a `ToolError` to fail with exactly its message. */
  readonly run: (
    input: ToolInput<Schema>,
    context: ToolContextOf<Inputs>,
  ) => ToolResult | string | Promise<ToolResult | string>;
}

/**
 * Makes a tool. Its JSON Schema is asked for once, when a session first needs it.
 * @throws TypeError when the name, the schema or the effect cannot work, saying what to change.
 */
export function defineTool<const Schema extends ToolInputSchema, const Inputs extends SessionInputs = SessionInputs>(
  definition: ToolDefinition<Schema, Inputs>,
): Tool {
  checkDefinition(definition);
  const { name, title, description, annotations, effect = 'once', access, prepare, reconcile, run } = definition;
  // `validate` is the edge: what the engine hands back to the other functions has passed it.
  const typed = (input: JsonObject) => input as ToolInput<Schema>;
  // So have the session inputs, each by its own schema.
  const own = (context: ToolContext) => context as unknown as ToolContextOf<Inputs>;
  let specification: ToolSpecification | undefined;
  const tool: Tool = {
    name,
    ...(title === undefined ? {} : { title }),
    description,
    kind: definition.kind ?? 'local',
    ...(annotations === undefined ? {} : { annotations }),
    ruleContent: definition.ruleContent ?? 'none',
    ...(definition.requiresPerson === undefined ? {} : { requiresPerson: definition.requiresPerson }),
    ...(definition.delegates === undefined ? {} : { delegates: definition.delegates }),
    ...(definition.inputs === undefined ? {} : { inputs: Object.freeze({ ...definition.inputs }) }),
    specification: () =>
      (specification ??= Object.freeze({ name, description, inputSchema: inputSchemaOf(definition) })),
    validate: validatorOf(definition),
    // A fault must not widen what runs: the strictest effect stands in, and what is not known to be touched is denied.
    effect: (input) => (typeof effect === 'function' ? orElse(() => effect(typed(input)), 'once') : effect),
    access: (input) => access?.(typed(input)) ?? {},
    ...(prepare === undefined ? {} : { prepare: (input, context) => prepare(typed(input), own(context)) }),
    ...(reconcile === undefined
      ? {}
      : { reconcile: (input, prepared, context) => reconcile(typed(input), prepared, own(context)) }),
    run: async (input, context) => {
      const result = await run(typed(input), own(context));
      return typeof result === 'string' ? { content: result } : result;
    },
  };
  Object.defineProperty(tool, mark, { value: true });
  return Object.freeze(tool);
}

/** True for a tool made by `defineTool` of any copy of this package. */
export function isTool(value: unknown): value is Tool {
  return typeof value === 'object' && value !== null && mark in value;
}

function orElse<Value>(ask: () => Value, strictest: Value): Value {
  try {
    return ask();
  } catch {
    return strictest;
  }
}

function checkDefinition<Schema extends ToolInputSchema, Inputs extends SessionInputs>(
  definition: ToolDefinition<Schema, Inputs>,
): void {
  const { name, description, effect, input } = definition;
  if (!isToolName(name)) {
    throw new TypeError(`tool name ${JSON.stringify(name)}: use 1 to 256 letters, digits, "_", "-" and "."`);
  }
  const problem = (message: string) => new TypeError(`tool ${name}: ${message}`);
  if (typeof description !== 'string') throw problem('description must be a text, it is what the model chooses by');
  if (typeof definition.run !== 'function') throw problem('run must be a function');
  if (typeof input !== 'object' && typeof input !== 'function') throw problem('input must be a schema');
  for (const [inputName, sessionInput] of Object.entries(definition.inputs ?? {})) {
    if (!isSessionInput(sessionInput)) throw problem(`inputs.${inputName} is none; make it with defineSessionInput`);
  }
  if (effect === 'reconcile' && definition.reconcile === undefined) {
    throw problem('effect "reconcile" needs a reconcile function that finds out whether the effect happened');
  }
  if (!isStandardSchema(input)) {
    if (input.type !== 'object') throw problem('a JSON Schema as input must have type "object"');
  } else if (definition.inputSchema === undefined && input['~standard'].jsonSchema === undefined) {
    throw problem(
      `the ${input['~standard'].vendor} schema cannot say its JSON Schema itself; give it beside as inputSchema`,
    );
  }
}

function validatorOf<Schema extends ToolInputSchema>({
  name,
  input,
}: Pick<ToolDefinition<Schema>, 'name' | 'input'>): (value: JsonValue) => ValidatedInput {
  if (isStandardSchema(input)) return (value) => validateStandard(input, value);
  let check: ReturnType<typeof compileJsonSchema>;
  try {
    check = compileJsonSchema(input as JsonObject);
  } catch (error) {
    throw new TypeError(`tool ${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
  return (value) => {
    const problems: InputProblem[] = [];
    const checked = check(value, '', problems);
    // The schema has type "object", so without a problem the value is one.
    return problems.length === 0 ? { ok: true, input: checked as JsonObject } : { ok: false, problems };
  };
}

function inputSchemaOf<Schema extends ToolInputSchema>(
  definition: Pick<ToolDefinition<Schema>, 'name' | 'input' | 'inputSchema'>,
): JsonObject {
  const { name, input, inputSchema } = definition;
  if (inputSchema !== undefined) return inputSchema;
  if (!isStandardSchema(input)) return input as JsonObject;
  const { $schema: _dialect, ...schema } = (input['~standard'].jsonSchema?.input({ target: 'draft-2020-12' }) ??
    {}) as JsonObject;
  if (schema['type'] !== 'object') {
    throw new TypeError(
      `tool ${name}: the input's JSON Schema has type ${JSON.stringify(schema['type'])}, a tool's input is an object`,
    );
  }
  return schema;
}
