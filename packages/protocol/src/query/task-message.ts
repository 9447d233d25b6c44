import { z } from 'zod';
import { openObject } from '../json/open-object.ts';
import { line } from './message-line.ts';

const system = { type: z.literal('system'), ...line };
const task = { ...system, task_id: z.string() };
const usage = openObject({ total_tokens: z.number(), tool_uses: z.number(), duration_ms: z.number() });

/** Work in the background has begun. `task_type` is `local_bash`, `local_agent` or `remote_agent`. */
export const SDKTaskStartedMessage = openObject({
  ...task,
  subtype: z.literal('task_started'),
  tool_use_id: z.string().optional(),
  description: z.string(),
  task_type: z.string().optional(),
});
export type SDKTaskStartedMessage = z.infer<typeof SDKTaskStartedMessage>;

/** How far it is. */
export const SDKTaskProgressMessage = openObject({
  ...task,
  subtype: z.literal('task_progress'),
  tool_use_id: z.string().optional(),
  description: z.string(),
  subagent_type: z.string().optional(),
  usage,
  last_tool_name: z.string().optional(),
  /** With the option `agentProgressSummaries`. */
  summary: z.string().optional(),
});
export type SDKTaskProgressMessage = z.infer<typeof SDKTaskProgressMessage>;

/** What of it is other than before. `end_time` is in milliseconds since 1970. */
export const SDKTaskUpdatedMessage = openObject({
  ...task,
  subtype: z.literal('task_updated'),
  patch: openObject({
    status: z.enum(['pending', 'running', 'completed', 'failed', 'killed']).optional(),
    description: z.string().optional(),
    end_time: z.number().optional(),
    total_paused_ms: z.number().optional(),
    error: z.string().optional(),
    is_backgrounded: z.boolean().optional(),
  }),
});
export type SDKTaskUpdatedMessage = z.infer<typeof SDKTaskUpdatedMessage>;

/** It is over, and where its output is. */
export const SDKTaskNotificationMessage = openObject({
  ...task,
  subtype: z.literal('task_notification'),
  tool_use_id: z.string().optional(),
  status: z.enum(['completed', 'failed', 'stopped']),
  output_file: z.string(),
  summary: z.string(),
  usage: usage.optional(),
});
export type SDKTaskNotificationMessage = z.infer<typeof SDKTaskNotificationMessage>;

/** All the tasks that are at work now, in place of what was known. */
export const SDKBackgroundTasksChangedMessage = openObject({
  ...system,
  subtype: z.literal('background_tasks_changed'),
  tasks: z.array(openObject({ task_id: z.string(), task_type: z.string(), description: z.string() })),
});
export type SDKBackgroundTasksChangedMessage = z.infer<typeof SDKBackgroundTasksChangedMessage>;
