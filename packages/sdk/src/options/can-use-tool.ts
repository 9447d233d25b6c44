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
    /** Which part of the rules asks. Rondo's own, as the next two. */
    decisionReasonType?: string;
    /** What a person reads first. */
    title?: string;
    /** The tool's name for people, where it has one. */
    displayName?: string;
    toolUseID: string;
    agentID?: string;
    requestId: string;
  },
) => Promise<PermissionResult | null>;
