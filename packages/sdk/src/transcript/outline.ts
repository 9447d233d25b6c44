import { isRecord } from '../is-record.ts';
import type { TranscriptEntry } from './read-chain.ts';

const kept = [
  'type',
  'uuid',
  'parentUuid',
  'sessionId',
  'session_id',
  'isSidechain',
  'agentId',
  'timestamp',
  'isMeta',
  'cwd',
  'customTitle',
  'tag',
];

/** What of a line says where in a conversation it stands, without what it says. */
export function outlineOf(entry: TranscriptEntry): TranscriptEntry {
  const outline: Record<string, unknown> = {};
  for (const name of kept) if (entry[name] !== undefined) outline[name] = entry[name];
  const { message } = entry;
  if (isRecord(message)) {
    const { id, model, content } = message;
    const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
    outline['message'] = { id, model, content: blocks.filter(isRecord).map(blockOutline) };
  }
  return outline as TranscriptEntry;
}

function blockOutline({ type, id, tool_use_id }: Readonly<Record<string, unknown>>): object {
  if (type === 'tool_use') return { type, id };
  return type === 'tool_result' ? { type, tool_use_id } : { type };
}
