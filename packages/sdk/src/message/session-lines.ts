import type { SDKMessage, SDKSessionStateChangedMessage, SessionUpdated } from '@rondo/protocol';
import { deriveUuid } from './line-uuid.ts';
import type { ProjectionState } from './projection-state.ts';

/** Whether the session works, waits or rests, where that was asked for. `eventId` is where it begins to. */
export function stateLines(
  { options }: ProjectionState,
  eventId: string,
  state: SDKSessionStateChangedMessage['state'],
): SDKMessage[] {
  if (options.sessionStates !== true) return [];
  const uuid = deriveUuid(`${eventId}/state`);
  return [{ type: 'system', subtype: 'session_state_changed', uuid, session_id: options.sessionId, state }];
}

/** A new mode, and a new title. */
export function updateLines(state: ProjectionState, event: SessionUpdated): SDKMessage[] {
  const session_id = state.options.sessionId;
  const lines: SDKMessage[] = [];
  event.permissions?.forEach((update, index) => {
    if (update.type !== 'setMode') return;
    state.permissionMode = update.mode;
    const uuid = deriveUuid(`${event.id}/mode${index === 0 ? '' : `/${index}`}`);
    lines.push({ type: 'system', subtype: 'status', uuid, session_id, status: null, permissionMode: update.mode });
  });
  if (event.title !== undefined) {
    const uuid = deriveUuid(`${event.id}/title`);
    lines.push({ type: 'system', subtype: 'session_title_changed', uuid, session_id, title: event.title });
  }
  return lines;
}
