import { z } from 'zod';
import { openObject } from '../json/open-object.ts';
import { line } from './message-line.ts';

/** What interrupting answers: the queued messages that will still run. */
export const SDKControlInterruptResponse = openObject({ still_queued: z.array(z.string()) });
export type SDKControlInterruptResponse = z.infer<typeof SDKControlInterruptResponse>;

/** A past session, in a list. Times are milliseconds since the epoch. */
export const SDKSessionInfo = openObject({
  sessionId: z.string(),
  summary: z.string(),
  lastModified: z.number(),
  fileSize: z.number().optional(),
  customTitle: z.string().optional(),
  firstPrompt: z.string().optional(),
  gitBranch: z.string().optional(),
  cwd: z.string().optional(),
  tag: z.string().optional(),
  createdAt: z.number().optional(),
});
export type SDKSessionInfo = z.infer<typeof SDKSessionInfo>;

/** A user or assistant message of a past session. */
export const SessionMessage = openObject({
  type: z.enum(['user', 'assistant']),
  ...line,
  message: z.unknown(),
  parent_tool_use_id: z.string().nullable(),
  parent_agent_id: z.string().nullable(),
  timestamp: z.string().optional(),
});
export type SessionMessage = z.infer<typeof SessionMessage>;
