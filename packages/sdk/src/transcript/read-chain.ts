import { isRecord } from '../is-record.ts';

/** A line of a transcript as it comes from a file or a store: whatever its writer put in. */
export type TranscriptEntry = { readonly type: string; readonly uuid?: string } & { readonly [key: string]: unknown };

/** A line of the conversation. */
export interface SaidEntry {
  readonly type: 'user' | 'assistant';
  readonly uuid: string;
  readonly timestamp?: string;
  readonly isMeta: boolean;
  readonly cwd?: string;
  readonly message: Readonly<Record<string, unknown>>;
  readonly toolUseResult?: unknown;
}

/** What a transcript says: its newest branch, in order, and how much of what else it holds is not in that, by what it is. */
export interface TranscriptChain {
  readonly said: readonly SaidEntry[];
  readonly title?: string;
  readonly tag?: string;
  readonly leftOut: Readonly<Record<string, number>>;
}

/** Lines that say things of the session, which a session here knows otherwise or has no use for. */
const names: Readonly<Record<string, string>> = {
  'custom-title': '',
  'ai-title': '',
  tag: '',
};

/**
 * Reads the lines of one session, in their order. A line that comes twice counts once. The branch is the one that the last
 * line of the conversation ends; calls that were made at once, which its chain of parents passes by, are in it.
 */
export function readChain(entries: readonly TranscriptEntry[]): TranscriptChain {
  const byUuid = new Map<string, TranscriptEntry>();
  const lines: TranscriptEntry[] = [];
  const leftOut: Record<string, number> = {};
  const count = (what: string): void => void (leftOut[what] = (leftOut[what] ?? 0) + 1);
  let title: string | undefined;
  let tag: string | undefined;
  for (const entry of entries) {
    if (typeof entry.uuid === 'string') {
      if (byUuid.has(entry.uuid)) continue;
      byUuid.set(entry.uuid, entry);
    }
    if (entry.type === 'custom-title' && typeof entry['customTitle'] === 'string') title = entry['customTitle'];
    if (entry.type === 'tag' && typeof entry['tag'] === 'string') tag = entry['tag'];
    if (names[entry.type] !== undefined) continue;
    if (!isSaid(entry)) count(`lines of type ${entry.type}`);
    else if (entry['isSidechain'] === true) count('lines of subagents');
    else lines.push(entry);
  }
  const chain = chainOf(lines, byUuid);
  const said: SaidEntry[] = [];
  for (const entry of lines) {
    if (chain.has(entry)) said.push(saidEntry(entry));
    else count('lines of other branches, or before a summary');
  }
  return { said, leftOut, ...(title ? { title } : {}), ...(tag ? { tag } : {}) };
}

function isSaid(entry: TranscriptEntry): boolean {
  const { type, uuid } = entry;
  return (type === 'user' || type === 'assistant') && typeof uuid === 'string' && isRecord(entry['message']);
}

function chainOf(
  lines: readonly TranscriptEntry[],
  byUuid: ReadonlyMap<string, TranscriptEntry>,
): ReadonlySet<TranscriptEntry> {
  const chain = new Set<TranscriptEntry>();
  for (let entry = lines.at(-1); entry !== undefined && !chain.has(entry); ) {
    chain.add(entry);
    const parent = entry['parentUuid'];
    if (typeof parent !== 'string') break;
    // A line that could not be read takes none of those before it along: they stand where they stood.
    entry = byUuid.get(parent) ?? lineBefore(entry, lines, byUuid);
  }
  // Calls made at once hang below one another or side by side; their replies and results belong together.
  const messages = new Set<unknown>();
  const calls = new Set<unknown>();
  for (const entry of chain) if (entry.type === 'assistant') messages.add(messageOf(entry)['id']);
  for (const entry of lines) {
    if (entry.type !== 'assistant' || !messages.has(messageOf(entry)['id'] ?? entry)) continue;
    chain.add(entry);
    for (const block of blocksOf(entry)) if (block['type'] === 'tool_use') calls.add(block['id']);
  }
  for (const entry of lines) {
    if (entry.type !== 'user' || chain.has(entry)) continue;
    const blocks = blocksOf(entry);
    if (
      blocks.length > 0 &&
      blocks.every((block) => block['type'] === 'tool_result' && calls.has(block['tool_use_id']))
    )
      chain.add(entry);
  }
  return chain;
}

function lineBefore(
  entry: TranscriptEntry,
  lines: readonly TranscriptEntry[],
  byUuid: ReadonlyMap<string, TranscriptEntry>,
): TranscriptEntry | undefined {
  const isLine = new Set(lines);
  let before: TranscriptEntry | undefined;
  for (const one of byUuid.values()) {
    if (one === entry) return before;
    if (isLine.has(one)) before = one;
  }
  return undefined;
}

function saidEntry(entry: TranscriptEntry): SaidEntry {
  return {
    type: entry.type === 'user' ? 'user' : 'assistant',
    uuid: entry.uuid ?? '',
    isMeta: entry['isMeta'] === true,
    message: messageOf(entry),
    ...(typeof entry['timestamp'] === 'string' ? { timestamp: entry['timestamp'] } : {}),
    ...(typeof entry['cwd'] === 'string' ? { cwd: entry['cwd'] } : {}),
    ...(entry['toolUseResult'] === undefined ? {} : { toolUseResult: entry['toolUseResult'] }),
  };
}

function messageOf(entry: TranscriptEntry): Readonly<Record<string, unknown>> {
  return isRecord(entry['message']) ? entry['message'] : {};
}

function blocksOf(entry: TranscriptEntry): readonly Readonly<Record<string, unknown>>[] {
  const { content } = messageOf(entry);
  return Array.isArray(content) ? content.filter(isRecord) : [];
}
