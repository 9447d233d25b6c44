import type { JsonObject, JsonValue, StandardSchema } from '@rondo/protocol';
import { compileJsonSchema } from './json-schema.ts';
import type { SessionInput, SessionInputs } from './session-input.ts';
import type { InputProblem } from './tool.ts';

export type ReadInputs =
  | { readonly ok: true; readonly values: Readonly<Record<string, unknown>> }
  /** Which input and what about it; never the value. */
  | { readonly ok: false; readonly message: string };

const nothingRead: ReadInputs = { ok: true, values: Object.freeze({}) };

/** The values of a tool's or a hook's inputs, each checked by its own schema, which may take its time. Never throws. */
export function readInputs(
  declared: SessionInputs | undefined,
  stored: Readonly<JsonObject>,
): ReadInputs | Promise<ReadInputs> {
  return declared === undefined ? nothingRead : readEach(declared, stored);
}

async function readEach(declared: SessionInputs, stored: Readonly<JsonObject>): Promise<ReadInputs> {
  const values: Record<string, unknown> = {};
  for (const [name, { inputId, schema }] of Object.entries(declared)) {
    // The tool and the hook have one each: what one changes in it is not for the other.
    const given = Object.hasOwn(stored, inputId) ? structuredClone(stored[inputId]) : undefined;
    let result: Awaited<ReturnType<StandardSchema['~standard']['validate']>>;
    try {
      result = await schema['~standard'].validate(given);
    } catch (error) {
      const said = sayable(error instanceof Error ? error.message : String(error), given);
      return { ok: false, message: `the session input "${inputId}" could not be checked${said}` };
    }
    if (result.issues === undefined) values[name] = result.value;
    else if (given === undefined)
      return { ok: false, message: `the session input "${inputId}" was not given when the session started` };
    else
      return { ok: false, message: `the session input "${inputId}" does not fit: ${issuesOf(result.issues, given)}` };
  }
  return { ok: true, values: Object.freeze(values) };
}

type Issues = NonNullable<Awaited<ReturnType<StandardSchema['~standard']['validate']>>['issues']>;

function issuesOf(issues: Issues, given: JsonValue | undefined): string {
  const lines = issues.map(({ message, path = [] }) => {
    const keys = path.map((part) => String(typeof part === 'object' ? part.key : part));
    const place = keys.length === 0 ? 'the whole' : keys.join('.');
    return `${place}${sayable(message, given) || ': is not accepted'}`;
  });
  return lines.join('; ');
}

/** What a validator says, unless some of the value is in it. */
function sayable(message: string, given: JsonValue | undefined): string {
  return given !== undefined && mentions(message, given) ? '' : `: ${message}`;
}

function mentions(message: string, value: JsonValue): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some((part) => mentions(message, part));
  if (typeof value !== 'string' && typeof value !== 'number') return false;
  const text = String(value);
  if (text.trim() === '') return false;
  if (text.length >= 4) return message.includes(text);
  // A short value may well be within some other word.
  const around = message.split(text);
  return around.some(
    (before, index) =>
      index < around.length - 1 && !/[\p{L}\p{N}]$/u.test(before) && !/^[\p{L}\p{N}]/u.test(around[index + 1] ?? ''),
  );
}

/**
 * What is wrong with the inputs that a session is to start with, in words and without their values: undefined when
 * nothing is. Rules that a schema cannot write as JSON Schema are left for where the value is used.
 */
export async function problemOfInputs(
  given: Readonly<JsonObject>,
  declared: readonly SessionInput[],
): Promise<string | undefined> {
  const known = new Map(declared.map((input) => [input.inputId, input]));
  for (const inputId of Object.keys(given)) {
    if (known.has(inputId)) continue;
    const names = known.size === 0 ? 'none is declared' : `declared are ${[...known.keys()].sort().join(', ')}`;
    return `no tool and no hook declares the session input "${inputId}"; ${names}`;
  }
  for (const input of known.values()) {
    const value = Object.hasOwn(given, input.inputId) ? given[input.inputId] : undefined;
    if (value !== undefined) {
      const problem = misshapen(input, value);
      if (problem !== undefined) return problem;
    } else if (!(await mayBeAbsent(input))) {
      return `the session input "${input.inputId}" is missing; give it when the session starts`;
    }
  }
  return undefined;
}

async function mayBeAbsent({ schema }: SessionInput): Promise<boolean> {
  try {
    return (await schema['~standard'].validate(undefined)).issues === undefined;
  } catch {
    return false;
  }
}

function misshapen({ inputId, schema }: SessionInput, value: JsonValue): string | undefined {
  let check: ReturnType<typeof compileJsonSchema>;
  try {
    const shape = schema['~standard'].jsonSchema?.input({ target: 'draft-2020-12' });
    if (shape === undefined) return undefined;
    check = compileJsonSchema(shape as JsonObject);
  } catch {
    // A schema that JSON Schema cannot say, or not in the part of it that is known here.
    return undefined;
  }
  const problems: InputProblem[] = [];
  check(value, '', problems);
  const [first] = problems;
  if (first === undefined) return undefined;
  const place = first.path === '' ? '' : ` at ${first.path}`;
  return `the session input "${inputId}" does not fit its schema${place}${sayable(first.message, value)}`;
}
