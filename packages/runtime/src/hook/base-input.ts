import type { JsonObject } from '@rondo/protocol';
import { isUuid } from '@rondo/protocol/values';
import { parentIdOf, rootIdOf } from '../event/session-tree-id.ts';
import type { EventHookTurn } from './event-hook-turn.ts';

/** The fields that every event has, in the second seed's spelling. */
export function baseInput(turn: EventHookTurn, event: string): JsonObject {
  const { sessionId, binding, transcriptPath } = turn;
  const policy = turn.policy();
  const promptId = promptIdOf(turn);
  return {
    session_id: rootIdOf(sessionId),
    transcript_path: transcriptPath,
    cwd: policy.directories[0] ?? binding.cwd,
    ...(promptId === undefined ? {} : { prompt_id: promptId }),
    permission_mode: policy.mode,
    ...(binding.effort === undefined ? {} : { effort: { level: binding.effort } }),
    hook_event_name: event,
    ...(parentIdOf(sessionId) === undefined ? {} : { agent_id: sessionId, agent_type: binding.agent.name }),
  };
}

/** The caller's own ID of what the user said last, or one made of the entry's. */
function promptIdOf({ state, sha256 }: EventHookTurn): string | undefined {
  const item = state.conversation.findLast((one) => one.kind === 'message' && one.entry.role === 'user');
  if (item?.kind !== 'message') return undefined;
  const { messageId, id } = item.entry;
  for (const known of [messageId, id]) if (isUuid(known)) return known;
  return uuidOf(sha256(`prompt\n${messageId ?? id}`));
}

/** A UUID of version 8, of one's own making. */
export function uuidOf(digest: string): string {
  const variant = '89ab'[Number.parseInt(digest[16] ?? '0', 16) % 4];
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-8${digest.slice(13, 16)}-${variant}${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
}
