import type { JsonObject, Notice, SDKMessage } from '@rondo/protocol';
import { deriveUuid } from './line-uuid.ts';
import type { ProjectionState } from './projection-state.ts';

type NoticeLine = (state: ProjectionState, event: Notice, details: JsonObject) => SDKMessage | undefined;

/** What people are told; notices of some kinds have a line of their own. */
export function noticeLines(state: ProjectionState, event: Notice): SDKMessage[] {
  const { details = {} } = event;
  const status = details['status'];
  const own = typeof status === 'string' && Object.hasOwn(ownLines, status) ? ownLines[status] : undefined;
  return [own?.(state, event, details) ?? informationalLine(state, event, details)];
}

/** By the `status` of a notice's details. */
const ownLines: Readonly<Record<string, NoticeLine>> = {
  worker_shutting_down: (state, event, { reason }) =>
    typeof reason !== 'string'
      ? undefined
      : { type: 'system', subtype: 'worker_shutting_down', ...about(state, event), reason },
  mirror_error: (state, event, { error, projectKey, sessionId, subpath }) =>
    typeof error !== 'string' || typeof projectKey !== 'string' || typeof sessionId !== 'string'
      ? undefined
      : {
          type: 'system',
          subtype: 'mirror_error',
          ...about(state, event),
          error,
          key: { projectKey, sessionId, ...(typeof subpath === 'string' ? { subpath } : {}) },
        },
};

function informationalLine(state: ProjectionState, event: Notice, details: JsonObject): SDKMessage {
  // What a hook has for the person stands out from what is told in passing.
  const calm = details['hookEvent'] === undefined ? 'info' : 'notice';
  return {
    type: 'system',
    subtype: 'informational',
    ...about(state, event),
    content: event.message,
    level: event.level === 'info' ? calm : 'warning',
    ...(typeof details['toolUseId'] === 'string' ? { tool_use_id: details['toolUseId'] } : {}),
    ...(details['preventContinuation'] === true ? { prevent_continuation: true } : {}),
  };
}

function about(state: ProjectionState, event: Notice) {
  return { uuid: deriveUuid(event.id), session_id: state.options.sessionId };
}
