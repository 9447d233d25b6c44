import type { AnyZodRawShape, ZodSchema } from './raw-shape.ts';

type JsonSchema = Record<string, unknown>;

/** What is read of a schema of zod 3, whose definition is not typed for others. */
interface Definition {
  readonly typeName: string;
  readonly description?: string;
  readonly checks?: readonly {
    readonly kind: string;
    readonly value?: unknown;
    readonly inclusive?: boolean;
    readonly regex?: RegExp;
  }[];
  readonly innerType?: ZodSchema;
  readonly schema?: ZodSchema;
  readonly type?: ZodSchema;
  readonly in?: ZodSchema;
  readonly left?: ZodSchema;
  readonly right?: ZodSchema;
  readonly valueType?: ZodSchema;
  readonly getter?: () => ZodSchema;
  readonly value?: unknown;
  readonly values?: unknown;
  readonly options?: readonly ZodSchema[] | ReadonlyMap<unknown, ZodSchema>;
  readonly items?: readonly ZodSchema[];
  readonly rest?: ZodSchema | null;
  readonly shape?: () => AnyZodRawShape;
  readonly unknownKeys?: string;
  readonly catchall?: ZodSchema;
  readonly minLength?: { readonly value: number } | null;
  readonly maxLength?: { readonly value: number } | null;
  readonly defaultValue?: () => unknown;
}

interface Conversion {
  readonly names: Map<ZodSchema, string>;
  readonly definitions: JsonSchema;
}

/** @throws Error for a schema that JSON Schema cannot say. */
export function zod3JsonSchema(shape: AnyZodRawShape): JsonSchema {
  const conversion: Conversion = { names: new Map(), definitions: {} };
  const schema = objectSchema(shape, conversion);
  return Object.keys(conversion.definitions).length === 0 ? schema : { ...schema, $defs: conversion.definitions };
}

function definitionOf(schema: ZodSchema): Definition {
  return (schema as ZodSchema & { readonly _def: Definition })._def;
}

function objectSchema(shape: AnyZodRawShape, conversion: Conversion): JsonSchema {
  const entries = Object.entries(shape);
  const required = entries.flatMap(([name, schema]) => (isOptional(schema) ? [] : [name]));
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, schema]) => [name, convert(schema, conversion)])),
    ...(required.length === 0 ? {} : { required }),
  };
}

function isOptional(schema: ZodSchema): boolean {
  try {
    return (schema.safeParse(undefined) as { readonly success: boolean }).success;
  } catch {
    return false;
  }
}

function convert(schema: ZodSchema | undefined, conversion: Conversion): JsonSchema {
  if (schema === undefined) return {};
  const { description } = definitionOf(schema);
  const converted = convertBare(schema, conversion);
  return description === undefined ? converted : { ...converted, description };
}

function convertBare(schema: ZodSchema, conversion: Conversion): JsonSchema {
  const definition = definitionOf(schema);
  const of = (inner: ZodSchema | undefined): JsonSchema => convert(inner, conversion);
  switch (definition.typeName) {
    case 'ZodString':
      return stringSchema(definition);
    case 'ZodNumber':
      return numberSchema(definition);
    case 'ZodBoolean':
      return { type: 'boolean' };
    case 'ZodDate':
      return { type: 'string', format: 'date-time' };
    case 'ZodNull':
      return { type: 'null' };
    case 'ZodLiteral':
      return { const: definition.value };
    case 'ZodEnum':
      return { type: 'string', enum: definition.values };
    case 'ZodNativeEnum':
      return { enum: nativeValues(definition.values) };
    case 'ZodObject':
      return {
        ...objectSchema(definition.shape?.() ?? {}, conversion),
        ...(definition.unknownKeys === 'strict' ? { additionalProperties: false } : {}),
        ...(definition.catchall === undefined || definitionOf(definition.catchall).typeName === 'ZodNever'
          ? {}
          : { additionalProperties: of(definition.catchall) }),
      };
    case 'ZodArray':
      return {
        type: 'array',
        items: of(definition.type),
        ...bound('minItems', definition.minLength),
        ...bound('maxItems', definition.maxLength),
      };
    case 'ZodTuple':
      return {
        type: 'array',
        prefixItems: (definition.items ?? []).map(of),
        minItems: definition.items?.length ?? 0,
        ...(definition.rest === null || definition.rest === undefined
          ? { items: false }
          : { items: of(definition.rest) }),
      };
    case 'ZodRecord':
      return { type: 'object', additionalProperties: of(definition.valueType) };
    case 'ZodUnion':
    case 'ZodDiscriminatedUnion':
      return { anyOf: [...(definition.options?.values() ?? [])].map(of) };
    case 'ZodIntersection':
      return { allOf: [of(definition.left), of(definition.right)] };
    case 'ZodNullable':
      return { anyOf: [of(definition.innerType), { type: 'null' }] };
    case 'ZodDefault':
      return { ...of(definition.innerType), default: definition.defaultValue?.() };
    case 'ZodOptional':
    case 'ZodCatch':
    case 'ZodReadonly':
      return of(definition.innerType);
    case 'ZodEffects':
      return of(definition.schema);
    case 'ZodBranded':
      return of(definition.type);
    case 'ZodPipeline':
      return of(definition.in);
    case 'ZodLazy':
      return reference(schema, definition, conversion);
    case 'ZodAny':
    case 'ZodUnknown':
      return {};
    default:
      throw new Error(`${definition.typeName} cannot be said in JSON Schema`);
  }
}

/** What may contain itself is said once, and referred to. Its getter may make a new schema each time. */
function reference(lazy: ZodSchema, { getter }: Definition, conversion: Conversion): JsonSchema {
  let name = conversion.names.get(lazy);
  if (name === undefined) {
    name = `part${conversion.names.size + 1}`;
    conversion.names.set(lazy, name);
    conversion.definitions[name] = convert(getter?.(), conversion);
  }
  return { $ref: `#/$defs/${name}` };
}

const formats: Readonly<Record<string, string>> = {
  email: 'email',
  url: 'uri',
  uuid: 'uuid',
  datetime: 'date-time',
  date: 'date',
  time: 'time',
};

function stringSchema({ checks = [] }: Definition): JsonSchema {
  const schema: JsonSchema = { type: 'string' };
  for (const { kind, value, regex } of checks) {
    if (kind === 'min') schema['minLength'] = value;
    else if (kind === 'max') schema['maxLength'] = value;
    else if (kind === 'length') Object.assign(schema, { minLength: value, maxLength: value });
    else if (kind === 'regex' && regex?.flags === '') schema['pattern'] = regex.source;
    else if (formats[kind] !== undefined) schema['format'] = formats[kind];
  }
  return schema;
}

function numberSchema({ checks = [] }: Definition): JsonSchema {
  const schema: JsonSchema = { type: 'number' };
  for (const { kind, value, inclusive } of checks) {
    if (kind === 'int') schema['type'] = 'integer';
    else if (kind === 'min') schema[inclusive === false ? 'exclusiveMinimum' : 'minimum'] = value;
    else if (kind === 'max') schema[inclusive === false ? 'exclusiveMaximum' : 'maximum'] = value;
    else if (kind === 'multipleOf') schema['multipleOf'] = value;
  }
  return schema;
}

/** TypeScript's enums of numbers also map the numbers back to names. */
function nativeValues(values: unknown): unknown[] {
  const entries = Object.entries((values ?? {}) as Readonly<Record<string, unknown>>);
  return entries.filter(([key]) => !/^-?\d+(\.\d+)?$/.test(key)).map(([, value]) => value);
}

function bound(name: string, limit: { readonly value: number } | null | undefined): JsonSchema {
  return limit === null || limit === undefined ? {} : { [name]: limit.value };
}
