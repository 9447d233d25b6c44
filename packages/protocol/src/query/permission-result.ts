import { z } from 'zod';
import { JsonObject } from '../json/json-value.ts';
import { openObject } from '../json/open-object.ts';
import { PermissionUpdate } from '../permission/permission-update.ts';

/** What a `canUseTool` function answers. */
export const PermissionResult = z.discriminatedUnion('behavior', [
  openObject({
    behavior: z.literal('allow'),
    updatedInput: JsonObject.optional(),
    updatedPermissions: z.array(PermissionUpdate).optional(),
    toolUseID: z.string().optional(),
  }),
  openObject({
    behavior: z.literal('deny'),
    message: z.string(),
    interrupt: z.boolean().optional(),
    toolUseID: z.string().optional(),
  }),
]);

/** Inputs are plain records, as programs build them; JSON is checked where the answer is read. */
export type PermissionResult =
  | {
      behavior: 'allow';
      updatedInput?: Record<string, unknown>;
      updatedPermissions?: PermissionUpdate[];
      toolUseID?: string;
    }
  | { behavior: 'deny'; message: string; interrupt?: boolean; toolUseID?: string };
