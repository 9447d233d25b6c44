import type { AnyZodRawShape } from './raw-shape.ts';

/**
 * The JSON Schema of what a shape accepts. The converter of the shape's own version of zod is loaded when it is first asked.
 * @throws Error for a shape that has none.
 */
export async function shapeJsonSchema(shape: AnyZodRawShape): Promise<Readonly<Record<string, unknown>>> {
  const schemas = Object.values(shape);
  if (schemas.length === 0) return { type: 'object', properties: {} };
  const ofFour = schemas.filter((schema) => '_zod' in schema);
  if (ofFour.length === 0) {
    const { zod3JsonSchema } = await import('./zod3-json-schema.ts');
    return zod3JsonSchema(shape);
  }
  if (ofFour.length < schemas.length) throw new Error('it mixes schemas of zod 3 and zod 4');
  const { zod4JsonSchema } = await import('./zod4-json-schema.ts');
  return zod4JsonSchema(shape);
}
