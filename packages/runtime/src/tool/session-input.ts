import type { JsonValue, StandardSchema } from '@rondo/protocol';
import { isStandardSchema } from '@rondo/protocol/values';

const inputMark = Symbol.for('rondo.session-input.v0');
const valueMark = Symbol.for('rondo.session-input-value.v0');

/**
 * A value that is given when a session starts, for tools and hooks to read; the model never sees it. The session keeps it
 * for its whole life, whatever is deployed meanwhile: never put a credential in it, and let a changed schema go on
 * accepting what it accepted before.
 */
export interface SessionInput<Value = unknown, Given = unknown> {
  /** The stable name by which a session finds its value again. No part of the value. */
  readonly inputId: string;
  /**
   * Checks the value wherever it is used. What a rule says in its message reaches the model and the results of turns, so
   * no message may hold the value.
   */
  readonly schema: StandardSchema<Value>;
  /** A value for this input, to start a session with. */
  value(value: Given): SessionInputValue;
}

/** Made by an input's `value`. */
export interface SessionInputValue {
  readonly inputId: string;
  readonly value: JsonValue;
}

/** Inputs that a tool or a hook reads, under its own names for them. */
export type SessionInputs = Readonly<Record<string, SessionInput>>;

/** What it reads of them. */
export type InputValues<Inputs extends SessionInputs> = {
  readonly [Name in keyof Inputs]: Inputs[Name] extends SessionInput<infer Value> ? Value : never;
};

type GivenOf<Schema> = Schema extends { readonly '~standard': { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly input: infer Given }
    ? Given
    : unknown
  : unknown;

type ValueOf<Schema> = Schema extends StandardSchema<infer Value> ? Value : never;

/**
 * Defines an input, once; tools, hooks and whoever starts a session name this definition.
 * @throws TypeError when the name or the schema cannot work.
 */
export function defineSessionInput<const Schema extends StandardSchema>(
  inputId: string,
  schema: Schema,
): SessionInput<ValueOf<Schema>, GivenOf<Schema>> {
  if (typeof inputId !== 'string' || inputId.trim() === '')
    throw new TypeError('a session input needs an inputId, a stable name such as "acme.ticket"');
  if ((typeof schema !== 'object' && typeof schema !== 'function') || schema === null || !isStandardSchema(schema))
    throw new TypeError(`session input ${inputId}: give a schema of zod or of another library of Standard Schemas`);
  const input = {
    inputId,
    schema,
    value(value: GivenOf<Schema>): SessionInputValue {
      const given = { inputId, value: asJson(inputId, value) };
      Object.defineProperty(given, valueMark, { value: true });
      return Object.freeze(given);
    },
  };
  Object.defineProperty(input, inputMark, { value: true });
  // The schema says of itself what it gives.
  return Object.freeze(input) as unknown as SessionInput<ValueOf<Schema>, GivenOf<Schema>>;
}

/** True for what `defineSessionInput` of any copy of this package made. */
export function isSessionInput(value: unknown): value is SessionInput {
  return typeof value === 'object' && value !== null && inputMark in value;
}

/** True for what an input's `value` of any copy of this package made. */
export function isSessionInputValue(value: unknown): value is SessionInputValue {
  return typeof value === 'object' && value !== null && valueMark in value;
}

function asJson(inputId: string, value: unknown): JsonValue {
  let json: string | undefined;
  try {
    json = JSON.stringify(value);
  } catch {
    // What it says may hold the value.
  }
  if (json === undefined) throw new TypeError(`session input ${inputId}: the value must be JSON`);
  return JSON.parse(json) as JsonValue;
}
