import type { PermissionResult, PermissionUpdate } from '@rondo/protocol';

/**
 * Decides on a call that no rule and no mode decided. A denial's message is what the model reads. Null leaves the
 * question open: it can still be answered by its ID, which is `requestId`.
 */
export type CanUseTool = (
  toolName: string,
  input: Record<string, unknown>,
  options: {
    /** Aborts when the answer is no longer wanted. */
    signal: AbortSignal;
    /** Rules that would spare the next question like this one; give those back that should hold. */
    suggestions?: PermissionUpdate[];
    blockedPath?: string;
    decisionReason?: string;
    toolUseID: string;
    agentID?: string;
    requestId: string;
  },
) => Promise<PermissionResult | null>;
