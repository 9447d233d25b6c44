import type { JsonObject, JsonValue, StandardSchema } from '@rondo/protocol';
import type { InputProblem, ValidatedInput } from './tool.ts';

type StandardResult = Awaited<ReturnType<StandardSchema['~standard']['validate']>>;
type StandardIssue = NonNullable<StandardResult['issues']>[number];

/** Validates by the schema's own function. Never throws, and accepts only what JSON can carry and checks at once. */
export function validateStandard(schema: StandardSchema, input: JsonValue): ValidatedInput {
  let result: StandardResult | Promise<StandardResult>;
  try {
    result = schema['~standard'].validate(input);
  } catch (error) {
    return refused(`the tool's schema threw: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (result instanceof Promise) {
    result.catch(() => {});
    return refused("the tool's schema checks asynchronously; a tool needs a schema that answers at once");
  }
  if (result.issues !== undefined)
    return { ok: false, problems: result.issues.flatMap((issue) => problemsOf(issue, input)) };
  const stray = findNotJson(result.value, '');
  if (stray !== undefined) {
    return refused(
      `the tool's schema makes ${stray.what} of it, which JSON cannot carry; convert it in run instead`,
      stray.path,
    );
  }
  if (typeof result.value !== 'object' || result.value === null || Array.isArray(result.value)) {
    return refused("the tool's schema gives no object");
  }
  return { ok: true, input: result.value as JsonObject };
}

function refused(message: string, path = ''): ValidatedInput {
  return { ok: false, problems: [{ path, message }] };
}

function problemsOf(issue: StandardIssue, input: JsonValue): InputProblem[] {
  const keys = (issue.path ?? []).map((part) => (typeof part === 'object' ? part.key : part));
  const path = keys.map(String).join('.');
  // zod reports several unexpected keys as one issue of their parent.
  if ('code' in issue && issue.code === 'unrecognized_keys' && 'keys' in issue && Array.isArray(issue.keys)) {
    return issue.keys.map((key) => ({
      path: path === '' ? String(key) : `${path}.${String(key)}`,
      message: 'is not expected',
    }));
  }
  if (keys.length === 0 || !isMissing(input, keys)) return [{ path, message: issue.message }];
  const expected =
    'expected' in issue && typeof issue.expected === 'string' ? `expected ${issue.expected}` : issue.message;
  return [{ path, message: `is missing, ${expected}` }];
}

function isMissing(input: JsonValue, keys: readonly PropertyKey[]): boolean {
  let value: unknown = input;
  for (const key of keys) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return true;
    value = Reflect.get(value, key);
  }
  return value === undefined;
}

export function findNotJson(
  value: unknown,
  path: string,
): { readonly path: string; readonly what: string } | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return undefined;
    case 'number':
      return Number.isFinite(value) ? undefined : { path, what: String(value) };
    case 'object': {
      if (value === null) return undefined;
      const prototype: unknown = Object.getPrototypeOf(value);
      if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) {
        return { path, what: `a ${value.constructor.name}` };
      }
      for (const [key, member] of Object.entries(value)) {
        if (member === undefined && !Array.isArray(value)) continue;
        const stray = findNotJson(member, path === '' ? key : `${path}.${key}`);
        if (stray !== undefined) return stray;
      }
      return undefined;
    }
    case 'undefined':
    case 'bigint':
    case 'symbol':
    case 'function':
      return { path, what: `a value of type ${typeof value}` };
  }
}
