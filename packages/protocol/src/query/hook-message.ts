import { z } from 'zod';
import { openObject } from '../json/open-object.ts';
import { line } from './message-line.ts';

const hook = {
  type: z.literal('system'),
  ...line,
  hook_id: z.string(),
  hook_name: z.string(),
  hook_event: z.string(),
};

/** A hook begins to run. `hook_name` is its event and what that is about, such as `PreToolUse:Bash`. */
export const SDKHookStartedMessage = openObject({ ...hook, subtype: z.literal('hook_started') });
export type SDKHookStartedMessage = z.infer<typeof SDKHookStartedMessage>;

/** What a running hook has written so far. */
export const SDKHookProgressMessage = openObject({
  ...hook,
  subtype: z.literal('hook_progress'),
  stdout: z.string(),
  stderr: z.string(),
  output: z.string(),
});
export type SDKHookProgressMessage = z.infer<typeof SDKHookProgressMessage>;

/** A hook has ended. `cancelled` when its turn was stopped: then nothing that it said counts. */
export const SDKHookResponseMessage = openObject({
  ...hook,
  subtype: z.literal('hook_response'),
  output: z.string(),
  stdout: z.string(),
  stderr: z.string(),
  exit_code: z.number().optional(),
  outcome: z.enum(['success', 'error', 'cancelled']),
});
export type SDKHookResponseMessage = z.infer<typeof SDKHookResponseMessage>;
