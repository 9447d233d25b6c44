import type { SDKMessage, ToolCompleted } from '@rondo/protocol';
import { messageUuid } from './line-uuid.ts';
import { resultLineUuid } from './line-uuids-of-event.ts';
import type { ProjectionState } from './projection-state.ts';
import { plainText, wireResultContent } from './wire-content.ts';

/** Who refused knows it already: the person who was asked, the program whose hook or answer it was. */
const refusedByTheProgram: ReadonlySet<string> = new Set(['callback', 'hook', 'input']);

/** A call's result, and before it the refusal that it is the result of, where nobody was asked. */
export function toolResultLines(state: ProjectionState, event: ToolCompleted): SDKMessage[] {
  const call = state.turn?.calls.get(event.callId);
  state.turn?.calls.delete(event.callId);
  const lines: SDKMessage[] = [];
  const refusal = event.outcome === 'denied' ? call?.refusal : undefined;
  if (refusal !== undefined) {
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
          ...(event.isError ? { is_error: true } : {}),
        },
      ],
    },
    tool_use_result: structuredResult(event),
  });
  return lines;
}

function structuredResult(event: ToolCompleted): unknown {
  if (event.isError) return `Error: ${plainText(event.content)}`;
  return event.structured ?? wireResultContent(event.content);
}
