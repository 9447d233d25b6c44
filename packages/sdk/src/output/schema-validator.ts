import type { JsonObject } from '@rondo/protocol';
import type { ErrorObject, ValidateFunction } from 'ajv';

/** What is wrong with a value; empty where it fits. */
export type SchemaValidator = (value: unknown) => readonly string[];

/**
 * Compiles a schema of JSON Schema 2020-12, or of draft 7 where it says so, or where only that one takes it. Formats
 * count. The library behind it is loaded with the first schema.
 * @throws Error with what is wrong with the schema.
 */
export async function compileSchema(schema: JsonObject): Promise<SchemaValidator> {
  const validate = await compiled(schema);
  // What such a schema gives is a promise, which would pass for a yes.
  if ('$async' in validate) throw new Error('it has $async, and answers are checked at once');
  return (value) => (validate(value) === true ? [] : (validate.errors ?? []).map(problemText));
}

const options = { allErrors: true, strict: false, logger: false, validateFormats: true } as const;

async function compiled(schema: JsonObject): Promise<ValidateFunction> {
  const { $schema: dialect } = schema;
  const isDraft7 = typeof dialect === 'string' && /draft-0[4-7]/.test(dialect);
  if (isDraft7) return await asDraft7(schema);
  try {
    return await as2020(schema);
  } catch (error) {
    if (dialect !== undefined) throw error;
    // Tuples and dependencies are said otherwise in older schemas, which seldom name themselves.
    return await asDraft7(schema).catch(() => {
      throw error;
    });
  }
}

async function as2020(schema: JsonObject): Promise<ValidateFunction> {
  const [{ Ajv2020 }, { default: formats }] = await Promise.all([import('ajv/dist/2020.js'), import('ajv-formats')]);
  const library = new Ajv2020(options);
  formats.default(library);
  return library.compile(schema);
}

async function asDraft7(schema: JsonObject): Promise<ValidateFunction> {
  const [{ Ajv }, { default: formats }] = await Promise.all([import('ajv'), import('ajv-formats')]);
  const library = new Ajv(options);
  formats.default(library);
  // Drafts 4 and 6 differ in keywords that draft 7 takes as well.
  const { $schema: _dialect, ...rest } = schema;
  return library.compile(rest);
}

function problemText({ instancePath, message = 'does not fit', keyword, params }: ErrorObject): string {
  const place = instancePath === '' ? 'the answer' : instancePath;
  const { allowedValues, allowedValue, additionalProperty } = params as Readonly<Record<string, unknown>>;
  if (keyword === 'enum') return `${place} ${message}: ${JSON.stringify(allowedValues)}`;
  if (keyword === 'const') return `${place} ${message}: ${JSON.stringify(allowedValue)}`;
  if (keyword === 'additionalProperties') return `${place} ${message}: ${JSON.stringify(additionalProperty)}`;
  return `${place} ${message}`;
}
