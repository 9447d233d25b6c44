import { z } from 'zod';
import { JsonObject } from '../json/json-value.ts';
import { openObject } from '../json/open-object.ts';

/** A server of the Model Context Protocol that a session has. */
export const McpServerInfo = openObject({
  name: z.string(),
  /** `connected`, `failed`, `needs-auth`, `pending`, `disabled`, or newer. */
  status: z.string(),
  serverInfo: openObject({ name: z.string(), version: z.string() }).optional(),
  error: z.string().optional(),
  tools: z.array(z.string()),
  details: JsonObject.optional(),
});
export type McpServerInfo = z.infer<typeof McpServerInfo>;
