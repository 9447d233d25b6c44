import { z } from 'zod';

/** Any value that JSON can carry. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** An object that JSON can carry. */
export type JsonObject = { readonly [key: string]: JsonValue };

export const JsonValue: z.ZodType<JsonValue, JsonValue> = z.json() as unknown as z.ZodType<JsonValue, JsonValue>;
export const JsonObject: z.ZodType<JsonObject, JsonObject> = z.record(z.string(), JsonValue);
