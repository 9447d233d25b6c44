import type { InputProblem } from '@rondo/runtime';

/** A schema of zod 3 or zod 4, as far as it is used: whichever copy of the library it came from. */
export interface ZodSchema {
  safeParse(value: unknown): unknown;
  safeParseAsync(value: unknown): Promise<unknown>;
}

/** The arguments of a tool by name, such as `{ query: z.string() }`. */
export type AnyZodRawShape = Record<string, ZodSchema>;

/** What a schema gives: zod 4 says it in `_zod`, both in `_output`. */
type OutputOf<Schema> = Schema extends { _zod: { output: infer Output } }
  ? Output
  : Schema extends { _output: infer Output }
    ? Output
    : unknown;

type OptionalName<Shape> = {
  [Name in keyof Shape]: undefined extends OutputOf<Shape[Name]> ? Name : never;
}[keyof Shape];

type Simplify<Type> = { [Key in keyof Type]: Type[Key] };

/** What a handler gets for a shape: every default filled in, every transformation made. */
export type InferShape<Shape extends AnyZodRawShape> = Simplify<
  { [Name in Exclude<keyof Shape, OptionalName<Shape>>]: OutputOf<Shape[Name]> } & {
    [Name in OptionalName<Shape>]?: OutputOf<Shape[Name]>;
  }
>;

interface Issue {
  readonly message?: string;
  readonly path?: readonly PropertyKey[];
  readonly code?: string;
  readonly expected?: unknown;
  readonly keys?: readonly string[];
}

type Parsed = { readonly success: true; readonly data: unknown } | { readonly success: false; readonly error: Faults };
interface Faults {
  readonly issues?: readonly Issue[];
  readonly message?: string;
}

export type CheckedShape =
  | { readonly ok: true; readonly value: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problems: readonly InputProblem[] };

/** What keeps a value from being a shape; undefined for one that is. */
export function checkRawShape(shape: unknown): string | undefined {
  if (typeof shape !== 'object' || shape === null || Array.isArray(shape))
    return 'inputSchema must be an object of schemas, such as { query: z.string() }';
  if (isSchema(shape))
    return 'inputSchema takes the shape itself, such as { query: z.string() }: give the schema’s .shape';
  const [stray] = Object.entries(shape).find(([, schema]) => !isSchema(schema)) ?? [];
  return stray === undefined ? undefined : `inputSchema.${stray} is no schema of zod`;
}

function isSchema(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'safeParse' in value && typeof value.safeParse === 'function';
}

/**
 * Checks arguments at once. Fields that the shape does not name are left out.
 * @returns undefined where a schema can only tell asynchronously.
 */
export function checkShape(shape: AnyZodRawShape, input: Readonly<Record<string, unknown>>): CheckedShape | undefined {
  const parsed: [string, Parsed][] = [];
  for (const [name, schema] of Object.entries(shape)) {
    try {
      parsed.push([name, schema.safeParse(own(input, name)) as Parsed]);
    } catch {
      return undefined;
    }
  }
  return checked(parsed, input);
}

/** The same, waiting for schemas that need it. @throws whatever a schema's own code throws. */
export async function checkShapeAsync(
  shape: AnyZodRawShape,
  input: Readonly<Record<string, unknown>>,
): Promise<CheckedShape> {
  const parsed = await Promise.all(
    Object.entries(shape).map(
      async ([name, schema]): Promise<[string, Parsed]> => [
        name,
        (await schema.safeParseAsync(own(input, name))) as Parsed,
      ],
    ),
  );
  return checked(parsed, input);
}

function own(input: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(input, name) ? input[name] : undefined;
}

function checked(
  parsed: readonly (readonly [string, Parsed])[],
  input: Readonly<Record<string, unknown>>,
): CheckedShape {
  const problems: InputProblem[] = [];
  const value: [string, unknown][] = [];
  for (const [name, result] of parsed) {
    if (!result.success) problems.push(...problemsOf(name, result.error, Object.hasOwn(input, name)));
    else if (result.data !== undefined || Object.hasOwn(input, name)) value.push([name, result.data]);
  }
  return problems.length === 0 ? { ok: true, value: Object.fromEntries(value) } : { ok: false, problems };
}

function problemsOf(name: string, { issues = [], message }: Faults, isGiven: boolean): InputProblem[] {
  if (issues.length === 0) return [{ path: name, message: message ?? 'does not fit' }];
  return issues.flatMap((issue): InputProblem[] => {
    const path = [name, ...(issue.path ?? [])].map(String).join('.');
    if (issue.code === 'unrecognized_keys' && issue.keys !== undefined)
      return issue.keys.map((key) => ({ path: `${path}.${key}`, message: 'is not expected' }));
    if (!isGiven && path === name) {
      const expected =
        typeof issue.expected === 'string' ? `expected ${issue.expected}` : (issue.message ?? 'expected');
      return [{ path, message: `is missing, ${expected}` }];
    }
    return [{ path, message: issue.message ?? 'does not fit' }];
  });
}
