import type { JsonObject, JsonValue } from '@rondo/protocol';

/**
 * The TypeScript type of what a JSON Schema written in place accepts, after its defaults are filled in. What the type
 * does not follow (`oneOf`, `additionalProperties`, …) reads as any JSON value, never as something narrower.
 */
export type JsonSchemaValue<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends
          | { readonly anyOf: readonly unknown[] }
          | { readonly oneOf: readonly unknown[] }
          | { readonly allOf: readonly unknown[] }
      ? Schema extends { readonly type: 'object' }
        ? JsonObject
        : JsonValue
      : Schema extends { readonly type: infer Type }
        ? Type extends readonly (infer Each)[]
          ? OfType<Each, Schema>
          : OfType<Type, Schema>
        : JsonValue;

type OfType<Type, Schema> = Type extends 'string'
  ? string
  : Type extends 'number' | 'integer'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'null'
        ? null
        : Type extends 'array'
          ? Schema extends { readonly items: infer Items }
            ? readonly JsonSchemaValue<Items>[]
            : readonly JsonValue[]
          : Type extends 'object'
            ? Schema extends { readonly properties: infer Properties }
              ? ObjectOf<Properties, Schema extends { readonly required: readonly (infer Name)[] } ? Name : never>
              : JsonObject
            : JsonValue;

/** Properties with a default are always there once the input is validated. */
type Present<Properties, Required> = {
  [Name in keyof Properties]: Name extends Required
    ? Name
    : Properties[Name] extends { readonly default: unknown }
      ? Name
      : never;
}[keyof Properties];

type ObjectOf<Properties, Required> = Simplify<
  { readonly [Name in Present<Properties, Required>]: JsonSchemaValue<Properties[Name]> } & {
    readonly [Name in Exclude<keyof Properties, Present<Properties, Required>>]?: JsonSchemaValue<Properties[Name]>;
  }
>;

type Simplify<Type> = { [Key in keyof Type]: Type[Key] };
