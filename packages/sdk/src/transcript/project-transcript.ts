import type { AnyEvent, SDKMessage } from '@rondo/protocol';
import { deriveUuid } from '../message/line-uuid.ts';
import { lineUuidsOfEvent } from '../message/line-uuids-of-event.ts';
import { messageLines } from '../message/message-lines.ts';
import { initialProjection, newTurn } from '../message/projection-state.ts';
import { replyLines } from '../message/reply-lines.ts';
import { endLines } from '../message/result-line.ts';
import { toolResultLines } from '../message/tool-result-lines.ts';
import { packageVersion } from '../package-version.ts';
import { placeName } from '../sessions/branched-lines.ts';
import { agentIdOf } from './agent-id.ts';
import type { SaidLine, TranscriptLine } from './transcript-line.ts';

/** Makes a transcript of a session's log. It reads nothing else: the same log gives the same lines. */
export interface TranscriptProjection {
  /**
   * The lines that the next event of the tree's log means. A reply's come with the event behind it, which says what the reply
   * used; whatever that event is, they come first.
   */
  push(event: AnyEvent): TranscriptLine[];
}

type SaidMessage = Extract<SDKMessage, { type: 'user' | 'assistant' }>;

/** @param sessionId of the session that is wanted; a subagent's is a side chain of its root's. */
export function createTranscriptProjection(sessionId: string): TranscriptProjection {
  const state = initialProjection({ sessionId, replayUserMessages: true });
  const [rootId = sessionId] = sessionId.split('.', 1);
  const isSidechain = rootId !== sessionId;
  let agentId = agentIdOf(sessionId);
  /** The last line of the branch. */
  let leaf: string | null = null;
  /** By a place of the conversation: the last line before it, and the last one up to it. */
  const leaves = new Map<string, { readonly before: string | null; at: string | null }>();
  /** The place of the reply that is held. */
  let replyPlace = '';
  let cwd = '';
  let gitBranch = '';
  let stopReason: string | null = null;

  function lineOf(line: SaidMessage, place: string, at: string): SaidLine[] {
    const { uuid } = line;
    if (uuid === undefined) return [];
    const parentUuid = leaf;
    leaf = uuid;
    const known = leaves.get(place);
    if (known === undefined) leaves.set(place, { before: parentUuid, at: uuid });
    else known.at = uuid;
    return [
      {
        parentUuid,
        isSidechain,
        userType: 'external',
        cwd,
        sessionId: rootId,
        version: packageVersion,
        gitBranch,
        ...(isSidechain ? { agentId } : {}),
        type: line.type,
        message: line.type === 'assistant' ? { ...line.message, stop_reason: stopReason } : line.message,
        ...(line.type === 'assistant' && line.request_id !== undefined ? { requestId: line.request_id } : {}),
        ...(line.type === 'user' && line.tool_use_result !== undefined ? { toolUseResult: line.tool_use_result } : {}),
        ...(line.type === 'user' && line.isSynthetic === true ? { isMeta: true } : {}),
        uuid,
        timestamp: line.timestamp ?? at,
      },
    ];
  }

  function said(lines: readonly SDKMessage[], place: string, at: string): TranscriptLine[] {
    // A place without lines is one to go on from all the same.
    leaves.set(place, { before: leaf, at: leaf });
    return lines.flatMap((line) => (line.type === 'user' || line.type === 'assistant' ? lineOf(line, place, at) : []));
  }

  function heldReply(event: AnyEvent): TranscriptLine[] {
    if (state.reply === undefined) return [];
    if (event.type === 'model.completed') {
      stopReason = event.stopReason;
      state.lastUsage = { ...state.lastUsage, entryId: event.entryId, usage: event.usage, requestId: event.requestId };
    }
    return said(replyLines(state), replyPlace, event.at);
  }

  function linesOf(event: AnyEvent): TranscriptLine[] {
    switch (event.type) {
      case 'session.created':
      case 'turn.started':
        ({ cwd } = event.binding);
        if (event.type === 'session.created') agentId = agentIdOf(sessionId, event);
        return event.type === 'session.created' ? named(event, event.title) : [];
      case 'session.updated':
        return named(event, event.title, event.tag);
      case 'session.branched':
        leaf = leaves.get(placeName(event.from))?.at ?? null;
        return [];
      case 'entry.completed': {
        const place = placeName(lineUuidsOfEvent(event)?.place ?? {});
        const { entry } = event;
        if (entry.type === 'message') {
          if (entry.role === 'context' && entry.kind === 'environment') gitBranch = branchIn(entry.content);
          return said(messageLines(state, entry, event.at), place, event.at);
        }
        if (entry.type !== 'assistant') return [];
        state.reply = { entry, at: event.at, ...(event.lines === undefined ? {} : { uuids: event.lines }) };
        replyPlace = place;
        stopReason = entry.stopReason ?? null;
        return [];
      }
      case 'entry.discarded': {
        // What was taken back is behind nothing.
        const known = leaves.get(event.entryId);
        if (known?.at === leaf) leaf = known.before;
        return [];
      }
      case 'tool.completed':
        return said(toolResultLines(state, event), event.callId, event.at);
      case 'turn.ended':
        // That it was interrupted, or failed, is said too.
        return said(endLines(state, newTurn(event.turnId, event.at), event), `${event.turnId}/end`, event.at);
      default:
        return [];
    }
  }

  function named(event: AnyEvent, title?: string, tag?: string | null): TranscriptLine[] {
    const common = { sessionId: rootId, timestamp: event.at };
    const lines: TranscriptLine[] = [];
    if (title !== undefined)
      lines.push({ type: 'custom-title', customTitle: title, ...common, uuid: deriveUuid(`${event.id}/title`) });
    if (tag !== undefined) lines.push({ type: 'tag', tag: tag ?? '', ...common, uuid: deriveUuid(`${event.id}/tag`) });
    return lines;
  }

  return {
    push(event) {
      if (event.sessionId !== sessionId) return [];
      const held = heldReply(event);
      const lines = linesOf(event);
      return held.length === 0 ? lines : [...held, ...lines];
    },
  };
}

/** As the text about a turn's surroundings names it. */
function branchIn(content: readonly { readonly type: string; readonly text?: unknown }[]): string {
  const text = content.map((block) => (typeof block.text === 'string' ? block.text : '')).join('');
  return /^Git branch: (.+)$/m.exec(text)?.[1] ?? '';
}
