import { z } from 'zod';
import { JsonValue } from '../json/json-value.ts';
import { openObject } from '../json/open-object.ts';

/** JSON-RPC 2.0, without batches. */
export const RequestFrame = openObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number()]),
  method: z.string(),
  params: JsonValue.optional(),
});
export type RequestFrame = z.infer<typeof RequestFrame>;

export const NotificationFrame = openObject({
  jsonrpc: z.literal('2.0'),
  method: z.string(),
  params: JsonValue.optional(),
});
export type NotificationFrame = z.infer<typeof NotificationFrame>;

export const ResultFrame = openObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number()]),
  result: JsonValue,
});
export type ResultFrame = z.infer<typeof ResultFrame>;

export const ErrorFrame = openObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number()]).nullable(),
  error: openObject({
    /** JSON-RPC's number; the Rondo code is in `data.code`. */
    code: z.number().int(),
    message: z.string(),
    data: JsonValue.optional(),
  }),
});
export type ErrorFrame = z.infer<typeof ErrorFrame>;

export type Frame = RequestFrame | NotificationFrame | ResultFrame | ErrorFrame;
