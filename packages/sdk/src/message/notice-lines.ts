import type { Notice, SDKMessage } from '@rondo/protocol';
import { deriveUuid } from './line-uuid.ts';
import type { ProjectionState } from './projection-state.ts';

/** What people are told. */
export function noticeLines({ options }: ProjectionState, { id, level, message, details = {} }: Notice): SDKMessage[] {
  // What a hook has for the person stands out from what is told in passing.
  const calm = details['hookEvent'] === undefined ? 'info' : 'notice';
  return [
    {
      type: 'system',
      subtype: 'informational',
      uuid: deriveUuid(id),
      session_id: options.sessionId,
      content: message,
      level: level === 'info' ? calm : 'warning',
      ...(typeof details['toolUseId'] === 'string' ? { tool_use_id: details['toolUseId'] } : {}),
      ...(details['preventContinuation'] === true ? { prevent_continuation: true } : {}),
    },
  ];
}
