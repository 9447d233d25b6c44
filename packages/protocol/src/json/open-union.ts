import { z } from 'zod';
import type { JsonValue } from './json-value.ts';

/** What an unknown member looks like in TypeScript: the raw value is kept, nothing is thrown. */
export interface UnknownMember {
  type: 'unknown';
  originalType: string;
  raw: JsonValue;
}

/** What each open union was made of: its schema is a transform, which cannot say. */
const parts = new WeakMap<z.ZodType, OpenUnionParts>();

export interface OpenUnionParts {
  readonly members: Readonly<Record<string, z.ZodType>>;
  readonly unknownMember: z.ZodType;
}

/** The members of a schema that `openUnion` made, or undefined for any other schema. */
export function openUnionParts(schema: z.ZodType): OpenUnionParts | undefined {
  return parts.get(schema);
}

/**
 * A union on `type` that reads what it does not know as `{ type: 'unknown', originalType, raw }`. A known type with
 * wrong fields is still an error: only the kind may be new.
 */
export function openUnion<Members extends Record<string, z.ZodType>, Unknown extends z.ZodType<UnknownMember>>(
  members: Members,
  unknownMember: Unknown,
): z.ZodType<z.output<Members[keyof Members]> | z.output<Unknown>> {
  const schema = z.looseObject({ type: z.string() }).transform((value, context): unknown => {
    const member = Object.hasOwn(members, value.type) ? members[value.type] : undefined;
    if (value.type === 'unknown') return readWith(unknownMember, value, context);
    if (member === undefined) return { type: 'unknown', originalType: value.type, raw: value };
    return readWith(member, value, context);
  });
  parts.set(schema, { members, unknownMember });
  return schema as unknown as z.ZodType<z.output<Members[keyof Members]> | z.output<Unknown>>;
}

function readWith(schema: z.ZodType, value: unknown, context: z.core.$RefinementCtx): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  for (const issue of result.error.issues) context.issues.push({ ...issue, input: value } as z.core.$ZodRawIssue);
  return z.NEVER;
}
