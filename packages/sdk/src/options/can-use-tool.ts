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
    /** The subagent that calls; absent for the session itself. */
    agentID?: string;
    /** The server that the tool comes from. Rondo's own, as the next one. */
    mcpServer?: { name: string; source?: string };
    /** The tool wants a person for each of its calls, whatever is allowed. */
    requiresUserInteraction?: boolean;
    requestId: string;
  },
) => Promise<PermissionResult | null>;
