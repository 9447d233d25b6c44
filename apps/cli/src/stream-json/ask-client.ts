import type { CanUseTool, PermissionResult, PermissionUpdate } from '@rondo/sdk';
import type { ClientRequests } from './client-requests.ts';
import type { Frame } from './read-frames.ts';

export interface AskClientOptions {
  readonly requests: ClientRequests;
  /** Seconds after which a question that nobody answers is a denial. */
  readonly timeout?: number | undefined;
  /** The client consented to bypassing when it started this process: only then may an answer set that mode. */
  readonly mayBypass: boolean;
  /** Resolves once the call has been shown, so that nobody is asked about a call that is not there yet. */
  readonly untilShown: (toolUseId: string) => Promise<void>;
  /** A question was answered or taken back. */
  readonly onClosed: () => void;
}

/**
 * Puts questions about calls to the client, under the question's own ID. What is no clear answer is a denial; a client that is
 * gone leaves the question open.
 */
export function askClient({ requests, timeout, mayBypass, untilShown, onClosed }: AskClientOptions): CanUseTool {
  return async (toolName, input, options) => {
    // What a subagent calls is not shown.
    if (options.agentID === undefined) await untilShown(options.toolUseID);
    if (options.signal.aborted) return await noAnswer();
    const late = timeout === undefined ? undefined : AbortSignal.timeout(timeout * 1000);
    const signal = late === undefined ? options.signal : AbortSignal.any([options.signal, late]);
    try {
      const fields = questionFields(toolName, input, options);
      const asking = requests.ask('can_use_tool', fields, { id: options.requestId, signal, whenGone: 'stays' });
      return await readAnswer(await asking, mayBypass);
    } catch (error) {
      if (options.signal.aborted) return await noAnswer();
      if (late?.aborted !== true) throw error;
      return { behavior: 'deny', message: `Nobody answered within ${timeout} seconds, so the call was denied.` };
    } finally {
      onClosed();
    }
  };
}

/** A question that was taken back is nobody's any more; a denial could still settle one that was left open for later. */
function noAnswer(): Promise<never> {
  return new Promise(() => {});
}

function questionFields(
  toolName: string,
  input: Frame,
  { suggestions, blockedPath, decisionReason, agentID, toolUseID, ...more }: Parameters<CanUseTool>[2],
): Frame {
  const { decisionReasonType, displayName, title, mcpServer, requiresUserInteraction } = more;
  return {
    tool_name: toolName,
    display_name: displayName ?? toolName,
    input,
    ...(title === undefined ? {} : { description: title }),
    ...(suggestions === undefined ? {} : { permission_suggestions: suggestions }),
    ...(blockedPath === undefined ? {} : { blocked_path: blockedPath }),
    ...(decisionReason === undefined ? {} : { decision_reason: decisionReason }),
    ...(decisionReasonType === undefined ? {} : { decision_reason_type: decisionReasonType }),
    tool_use_id: toolUseID,
    ...(agentID === undefined ? {} : { agent_id: agentID }),
    ...(mcpServer === undefined ? {} : { mcp_server: mcpServer }),
    ...(requiresUserInteraction === undefined ? {} : { requires_user_interaction: requiresUserInteraction }),
  };
}

/** @throws Error for what is no answer, which denies the call: a question left open would never be asked again. */
async function readAnswer(answer: Frame, mayBypass: boolean): Promise<PermissionResult> {
  const { behavior, message, updatedInput, updatedPermissions, interrupt } = answer;
  if (behavior === 'deny') {
    return {
      behavior,
      message: typeof message === 'string' ? message : 'The call was denied.',
      ...(interrupt === true ? { interrupt } : {}),
    };
  }
  if (behavior !== 'allow') throw new Error("the client's answer is neither an allow nor a deny");
  if (
    updatedInput !== undefined &&
    updatedInput !== null &&
    (typeof updatedInput !== 'object' || Array.isArray(updatedInput))
  )
    throw new Error("the client's updatedInput is no object");
  const updates = await permissionUpdates(updatedPermissions);
  const widens = updates?.some((update) => update.type === 'setMode' && update.mode === 'bypassPermissions') === true;
  if (widens && !mayBypass) throw new Error("the client's answer sets bypassPermissions, to which nobody consented");
  return {
    behavior,
    ...(updatedInput === undefined || updatedInput === null
      ? {}
      : { updatedInput: updatedInput as Record<string, unknown> }),
    ...(updates === undefined ? {} : { updatedPermissions: updates }),
  };
}

async function permissionUpdates(given: unknown): Promise<PermissionUpdate[] | undefined> {
  if (given === undefined || given === null) return undefined;
  const { readPermissionUpdates } = await import('@rondo/sdk/host');
  return await readPermissionUpdates(given);
}
