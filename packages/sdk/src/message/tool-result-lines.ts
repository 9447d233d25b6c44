import type { SDKMessage, ToolCompleted, ToolResultMeta } from '@rondo/protocol';
import { messageUuid } from './line-uuid.ts';
import { resultLineUuid } from './line-uuids-of-event.ts';
import type { OpenCall, ProjectionState } from './projection-state.ts';
import { plainText, wireResultContent } from './wire-content.ts';

/** Who refused knows it already: the person who was asked, the program whose hook or answer it was. */
const refusedByTheProgram: ReadonlySet<string> = new Set(['callback', 'hook', 'input']);

/** A call's result, and before it the refusal that it is the result of, where nobody was asked. */
export function toolResultLines(state: ProjectionState, event: ToolCompleted): SDKMessage[] {
  const call = state.turn?.calls.get(event.callId);
  state.turn?.calls.delete(event.callId);
  const lines: SDKMessage[] = [];
  const refusal = event.outcome === 'denied' ? call?.decision : undefined;
  if (refusal?.allowed === false) {
    state.turn?.denials.push({ tool_name: event.name, tool_use_id: event.toolCallId, tool_input: call?.input ?? {} });
    if (!refusedByTheProgram.has(refusal.reasonType)) {
      lines.push({
        type: 'system',
        subtype: 'permission_denied',
        uuid: messageUuid(event.callId, 'denied'),
        session_id: state.options.sessionId,
        tool_name: event.name,
        tool_use_id: event.toolCallId,
        decision_reason_type: refusal.reasonType,
        ...(refusal.reason === undefined ? {} : { decision_reason: refusal.reason }),
        message: plainText(event.content),
      });
    }
  }
  lines.push({
    type: 'user',
    uuid: resultLineUuid(event),
    session_id: state.options.sessionId,
    parent_tool_use_id: null,
    timestamp: event.at,
    message: {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: event.toolCallId,
          content: wireResultContent(event.content),
          // Of commands, success is said too.
          ...(event.isError || event.name === 'Bash' ? { is_error: event.isError } : {}),
        },
      ],
    },
    tool_use_result: structuredResult(event),
    tool_result_meta: [metaOf(event, call)],
  });
  return lines;
}

function metaOf({ toolCallId, outcome }: ToolCompleted, call: OpenCall | undefined): ToolResultMeta {
  const decision = call?.decision;
  return {
    id: toolCallId,
    ...(decision === undefined ? {} : { permission_decision: permissionOf(decision) }),
    ...(outcome === 'denied' || outcome === 'not_started' ? { non_execution_kind: outcome } : {}),
  };
}

function permissionOf({ allowed, reasonType }: NonNullable<OpenCall['decision']>) {
  const asked = allowed ? 'user_temporary' : 'user_reject';
  return {
    decision: allowed ? ('accept' as const) : ('reject' as const),
    source: reasonType === 'callback' ? asked : 'config',
    reason_type: reasonType,
  };
}

function structuredResult(event: ToolCompleted): unknown {
  if (event.isError) return `Error: ${plainText(event.content)}`;
  return event.structured ?? wireResultContent(event.content);
}
