import { z } from 'zod';
import { JsonObject, JsonValue } from '../json/json-value.ts';
import { openObject } from '../json/open-object.ts';
import { PermissionUpdate } from '../permission/permission-update.ts';

/** The hook goes on by itself; nobody waits for its answer. */
export const AsyncHookJSONOutput = openObject({
  async: z.literal(true),
  /** Milliseconds. */
  asyncTimeout: z.number().optional(),
});
export type AsyncHookJSONOutput = { async: true; asyncTimeout?: number };

const context = { additionalContext: z.string().optional() };

const PermissionRequestDecision = z.discriminatedUnion('behavior', [
  openObject({
    behavior: z.literal('allow'),
    updatedInput: JsonObject.optional(),
    updatedPermissions: z.array(PermissionUpdate).optional(),
  }),
  openObject({
    behavior: z.literal('deny'),
    message: z.string().optional(),
    interrupt: z.boolean().optional(),
  }),
]);

/** What a hook answers: a callback by returning it, a command by writing it to its standard output. */
export const SyncHookJSONOutput = openObject({
  continue: z.boolean().optional(),
  suppressOutput: z.boolean().optional(),
  stopReason: z.string().optional(),
  decision: z.enum(['approve', 'block']).optional(),
  systemMessage: z.string().optional(),
  reason: z.string().optional(),
  hookSpecificOutput: z
    .discriminatedUnion('hookEventName', [
      openObject({
        hookEventName: z.literal('PreToolUse'),
        permissionDecision: z.enum(['allow', 'deny', 'ask', 'defer']).optional(),
        permissionDecisionReason: z.string().optional(),
        updatedInput: JsonObject.optional(),
        ...context,
      }),
      openObject({ hookEventName: z.literal('UserPromptSubmit'), ...context }),
      openObject({ hookEventName: z.literal('SessionStart'), ...context }),
      openObject({ hookEventName: z.literal('Setup'), ...context }),
      openObject({ hookEventName: z.literal('SubagentStart'), ...context }),
      openObject({
        hookEventName: z.literal('PostToolUse'),
        ...context,
        updatedToolOutput: JsonValue.optional(),
        /** The former name of `updatedToolOutput`. */
        updatedMCPToolOutput: JsonValue.optional(),
      }),
      openObject({ hookEventName: z.literal('PostToolUseFailure'), ...context }),
      openObject({ hookEventName: z.literal('PostToolBatch'), ...context }),
      openObject({ hookEventName: z.literal('Notification'), ...context }),
      openObject({ hookEventName: z.literal('PermissionRequest'), decision: PermissionRequestDecision }),
    ])
    .optional(),
});

/** Inputs are plain records, as programs build them; JSON is checked where the answer is read. */
export type SyncHookJSONOutput = {
  continue?: boolean;
  suppressOutput?: boolean;
  stopReason?: string;
  decision?: 'approve' | 'block';
  systemMessage?: string;
  reason?: string;
  hookSpecificOutput?:
    | {
        hookEventName: 'PreToolUse';
        permissionDecision?: 'allow' | 'deny' | 'ask' | 'defer';
        permissionDecisionReason?: string;
        updatedInput?: Record<string, unknown>;
        additionalContext?: string;
      }
    | {
        hookEventName:
          | 'UserPromptSubmit'
          | 'SessionStart'
          | 'Setup'
          | 'SubagentStart'
          | 'PostToolUseFailure'
          | 'PostToolBatch'
          | 'Notification';
        additionalContext?: string;
      }
    | {
        hookEventName: 'PostToolUse';
        additionalContext?: string;
        updatedToolOutput?: unknown;
        /** @deprecated Use `updatedToolOutput`. */
        updatedMCPToolOutput?: unknown;
      }
    | {
        hookEventName: 'PermissionRequest';
        decision:
          | { behavior: 'allow'; updatedInput?: Record<string, unknown>; updatedPermissions?: PermissionUpdate[] }
          | { behavior: 'deny'; message?: string; interrupt?: boolean };
      };
};

export const HookJSONOutput = z.union([AsyncHookJSONOutput, SyncHookJSONOutput]);
export type HookJSONOutput = AsyncHookJSONOutput | SyncHookJSONOutput;
