import type { JsonObject, MessageEntry, SDKMessage, SDKMessageOrigin } from '@rondo/protocol';
import { deriveUuid } from './line-uuid.ts';
import { messageLineUuid } from './line-uuids-of-event.ts';
import type { ProjectionState } from './projection-state.ts';
import { plainText, wireContent } from './wire-content.ts';

const feedback: ReadonlySet<string | undefined> = new Set(['stop_hook_feedback', 'output_feedback']);

/** What the model is told that it did not say: by hooks, and, where that is asked for or it is no person's, by a user message. */
export function messageLines(state: ProjectionState, entry: MessageEntry, at: string): SDKMessage[] {
  if (entry.role === 'context') return feedback.has(entry.kind) ? feedbackLines(state, entry, at) : [];
  return entry.role === 'user' ? replayLines(state, entry, at) : [];
}

/** Why the model goes on though it was done: the person did not say it. */
function feedbackLines(state: ProjectionState, entry: MessageEntry, at: string): SDKMessage[] {
  const session = { session_id: state.options.sessionId };
  const lines: SDKMessage[] = [
    {
      type: 'user',
      uuid: messageLineUuid(entry),
      ...session,
      parent_tool_use_id: null,
      timestamp: at,
      isSynthetic: true,
      message: { role: 'user', content: wireContent(entry.content) },
    },
  ];
  if (entry.kind === 'stop_hook_feedback') {
    lines.push({
      type: 'system',
      subtype: 'notification',
      uuid: deriveUuid(`${entry.id}/notification`),
      ...session,
      key: 'stop-hook-feedback',
      text: plainText(entry.content),
      priority: 'low',
    });
  }
  return lines;
}

function replayLines(state: ProjectionState, entry: MessageEntry, at: string): SDKMessage[] {
  const origin = originOf(entry.origin);
  const isInjected = origin?.kind === 'peer' || origin?.kind === 'channel';
  if (state.options.replayUserMessages !== true && !isInjected) return [];
  const only = entry.content.length === 1 ? entry.content[0] : undefined;
  return [
    {
      type: 'user',
      uuid: messageLineUuid(entry),
      session_id: state.options.sessionId,
      parent_tool_use_id: null,
      timestamp: at,
      isReplay: true,
      message: { role: 'user', content: only?.type === 'text' ? only.text : wireContent(entry.content) },
      ...(origin === undefined ? {} : { origin }),
    },
  ];
}

/** As its sender named it. Kinds are an open set: what a newer sender says is handed on as it is. */
export function originOf(origin: JsonObject | undefined): SDKMessageOrigin | undefined {
  return typeof origin?.['kind'] === 'string' ? (origin as SDKMessageOrigin) : undefined;
}
