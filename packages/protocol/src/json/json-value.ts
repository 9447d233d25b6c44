import { z } from 'zod';

/** Any value that JSON can carry. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** An object that JSON can carry. */
export type JsonObject = { readonly [key: string]: JsonValue };

export const JsonValue: z.ZodType<JsonValue> = z.json() as z.ZodType<JsonValue>;
export const JsonObject: z.ZodType<JsonObject> = z.record(z.string(), JsonValue) as z.ZodType<JsonObject>;
