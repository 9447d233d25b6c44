import { isUuid } from '@rondo/protocol/values';
import { isRecord } from '../is-record.ts';
import { deriveUuid } from '../message/line-uuid.ts';
import { isAgentId } from './agent-id.ts';

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
  /** All of the line, where what is here is but its outline. */
  readonly whole?: () => Promise<TranscriptEntry>;
}

/** What a transcript says: its newest branch, in order, and how much of what else it holds is not in that, by what it is. */
export interface TranscriptChain {
  readonly said: readonly SaidEntry[];
  readonly title?: string;
  readonly tag?: string;
  readonly leftOut: Readonly<Record<string, number>>;
}

/** Lines that say things of the session, which a session here knows otherwise or has no use for. */
const names: ReadonlySet<string> = new Set(['custom-title', 'ai-title', 'tag']);

/** A session's own lines, and those of its subagents by what they are called. */
export interface SplitTranscript<Entry> {
  readonly own: readonly Entry[];
  readonly subagents: ReadonlyMap<string, readonly Entry[]>;
}

/** Lines of subagents may stand among those of their session. */
export function splitTranscript<Entry extends TranscriptEntry>(entries: readonly Entry[]): SplitTranscript<Entry> {
  const own: Entry[] = [];
  const subagents = new Map<string, Entry[]>();
  for (const entry of entries) {
    const agentId = entry['isSidechain'] === true ? entry['agentId'] : undefined;
    if (!isAgentId(agentId)) own.push(entry);
    else addTo(subagents, agentId, entry);
  }
  return { own, subagents };
}

function addTo<Entry>(lists: Map<string, Entry[]>, name: string, entry: Entry): void {
  const list = lists.get(name);
  if (list === undefined) lists.set(name, [entry]);
  else list.push(entry);
}

export interface ReadChainOptions {
  readonly of?: 'session' | 'subagent';
  /** Gives all of a line, where the lines are outlines. */
  readonly whole?: (entry: TranscriptEntry) => Promise<TranscriptEntry>;
}

/**
 * Reads the lines of one session, or of one subagent. A line that comes twice counts once. The branch is the one that the last
 * line of the conversation ends; calls that were made at once, which its chain of parents passes by, are in it. Lines whose
 * order was lost are put behind their parents.
 */
export function readChain(
  entries: readonly TranscriptEntry[],
  { of = 'session', whole }: ReadChainOptions = {},
): TranscriptChain {
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
    if (names.has(entry.type)) continue;
    if (!isSaid(entry)) count(`lines of type ${shown(entry.type)}`);
    else if (of === 'session' && entry['isSidechain'] === true) count('lines of subagents');
    else lines.push(entry);
  }
  const ordered = parentsFirst(lines, byUuid);
  const chain = chainOf(ordered, byUuid);
  const said: SaidEntry[] = [];
  for (const entry of ordered) {
    if (chain.has(entry)) said.push(saidEntry(entry, whole));
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
  let before: ReadonlyMap<TranscriptEntry, TranscriptEntry> | undefined;
  for (let entry = lines.at(-1); entry !== undefined && !chain.has(entry); ) {
    chain.add(entry);
    const parent = entry['parentUuid'];
    if (typeof parent !== 'string') break;
    // A line that could not be read takes none of those before it along: they stand where they stood.
    entry = byUuid.get(parent) ?? (before ??= linesBefore(lines, byUuid)).get(entry);
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

/** Of each line, the last one of the conversation that stands before it. */
function linesBefore(
  lines: readonly TranscriptEntry[],
  byUuid: ReadonlyMap<string, TranscriptEntry>,
): ReadonlyMap<TranscriptEntry, TranscriptEntry> {
  const isLine = new Set(lines);
  const all = new Map<TranscriptEntry, TranscriptEntry>();
  let before: TranscriptEntry | undefined;
  for (const entry of byUuid.values()) {
    if (before !== undefined) all.set(entry, before);
    if (isLine.has(entry)) before = entry;
  }
  return all;
}

/** The lines in their order, if each stands behind its parent; otherwise each one behind it, and the earlier ones first. */
function parentsFirst(
  lines: readonly TranscriptEntry[],
  byUuid: ReadonlyMap<string, TranscriptEntry>,
): readonly TranscriptEntry[] {
  const places = new Map<unknown, number>();
  [...byUuid.keys()].forEach((uuid, place) => places.set(uuid, place));
  const place = (uuid: unknown): number => places.get(uuid) ?? -1;
  if (lines.every((entry) => place(entry['parentUuid']) <= place(entry.uuid))) return lines;
  const isLine = new Set(lines);
  const placed = new Set<TranscriptEntry>();
  const ordered: TranscriptEntry[] = [];
  for (const line of lines.toSorted(byTime)) {
    const path: TranscriptEntry[] = [];
    // A parent may be no line of the conversation, and parents may go round in a ring.
    for (let entry: TranscriptEntry | undefined = line; entry !== undefined && !placed.has(entry); ) {
      placed.add(entry);
      path.push(entry);
      entry = byUuid.get(String(entry['parentUuid']));
    }
    for (const entry of path.reverse()) if (isLine.has(entry)) ordered.push(entry);
  }
  return ordered;
}

function byTime(one: TranscriptEntry, other: TranscriptEntry): number {
  const [left, right] = [one['timestamp'], other['timestamp']];
  return typeof left === 'string' && typeof right === 'string' && left !== right ? (left < right ? -1 : 1) : 0;
}

function saidEntry(entry: TranscriptEntry, whole: ReadChainOptions['whole']): SaidEntry {
  return {
    type: entry.type === 'user' ? 'user' : 'assistant',
    uuid: isUuid(entry.uuid) ? entry.uuid : deriveUuid(entry.uuid ?? ''),
    isMeta: entry['isMeta'] === true,
    ...contentOf(entry),
    ...(typeof entry['timestamp'] === 'string' ? { timestamp: entry['timestamp'] } : {}),
    ...(typeof entry['cwd'] === 'string' ? { cwd: entry['cwd'] } : {}),
    ...(whole === undefined ? {} : { whole: () => whole(entry) }),
  };
}

/** What it says, also where only its outline is at hand. */
export async function wholeEntry(entry: SaidEntry): Promise<SaidEntry> {
  const { whole, ...said } = entry;
  return whole === undefined ? entry : { ...said, ...contentOf(await whole()) };
}

function contentOf(entry: TranscriptEntry): Pick<SaidEntry, 'message' | 'toolUseResult'> {
  const { toolUseResult } = entry;
  return { message: messageOf(entry), ...(toolUseResult === undefined ? {} : { toolUseResult }) };
}

/** Types come from whoever wrote the lines. */
function shown(type: string): string {
  return /^[\w.-]{1,40}$/.test(type) ? type : JSON.stringify(type.slice(0, 40));
}

function messageOf(entry: TranscriptEntry): Readonly<Record<string, unknown>> {
  return isRecord(entry['message']) ? entry['message'] : {};
}

function blocksOf(entry: TranscriptEntry): readonly Readonly<Record<string, unknown>>[] {
  const { content } = messageOf(entry);
  return Array.isArray(content) ? content.filter(isRecord) : [];
}
