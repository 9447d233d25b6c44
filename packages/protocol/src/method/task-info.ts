import { z } from 'zod';
import { JsonObject } from '../json/json-value.ts';
import { openObject } from '../json/open-object.ts';

/** Work in the background of a session. Times are ISO 8601. */
export const TaskInfo = openObject({
  taskId: z.string(),
  /** `running`, `completed`, `failed`, `stopped`, or newer. */
  status: z.string(),
  description: z.string(),
  startedAt: z.string(),
  endedAt: z.string().optional(),
  /** The call that began it. */
  callId: z.string().optional(),
  details: JsonObject.optional(),
});
export type TaskInfo = z.infer<typeof TaskInfo>;
