import type { AnyEvent, JsonValue, ModelRequested, RequestParts } from '@rondo/protocol';
import type { ModelMessage } from '../model/model.ts';
import { hashOfParts, latestMessages } from '../turn/request-digest.ts';
import { firstDifference } from './compare-events.ts';
import type { Divergence } from './replay-report.ts';

export interface RequestCheck {
  readonly recorded: ModelRequested;
  readonly replayed: RequestParts;
  readonly messages: readonly ModelMessage[];
  /** What was said since the last request that was right. */
  readonly facts: readonly AnyEvent[];
  /** Whether the replay has the system prompt, the tools and the settings of the agent. */
  readonly isBound: boolean;
  readonly sha256: (text: string) => string;
}

type Found = Pick<Divergence, 'path' | 'recorded' | 'replayed'> & {
  /** Absent where it is the request itself. */
  readonly event?: AnyEvent;
  readonly evidence?: string;
};

const ofBinding = ['system', 'tools', 'maxOutputTokens', 'thinking', 'effort', 'temperature', 'output'] as const;

/** What of a request is not as it was; what was said otherwise is found where it was said. */
export function checkRequest({
  recorded,
  replayed,
  messages,
  facts,
  isBound,
  sha256,
}: RequestCheck): Found | undefined {
  const { parts, requestHash, seq } = recorded;
  if (parts === undefined || requestHash === undefined) return undefined;
  const blocks = latestMessages(messages).flatMap(({ role, content }) => content.map((block) => ({ role, block })));
  for (const [index, { role, block }] of blocks.entries()) {
    if (parts.blocks[index] === replayed.blocks[index]) continue;
    const source = sourceOf(role, block, facts);
    if (source === undefined) break;
    const evidence = `the request of event ${seq} was made with other content (its SHA-256 begins with ${parts.blocks[index] ?? 'nothing'})`;
    return { ...source, replayed: undefined, evidence };
  }
  for (const name of ['messages', ...(isBound ? ofBinding : [])] as const) {
    const found = firstDifference(parts[name] as JsonValue | undefined, replayed[name] as JsonValue | undefined);
    if (found !== undefined) return { ...found, path: `parts.${name}${found.path}` };
  }
  const hash = hashOfParts({ ...parts, messages: replayed.messages }, sha256);
  return hash === requestHash ? undefined : { path: 'requestHash', recorded: requestHash, replayed: hash };
}

type Block = ModelMessage['content'][number];

function sourceOf(
  role: string,
  block: Block,
  facts: readonly AnyEvent[],
): Pick<Found, 'event' | 'path' | 'recorded'> | undefined {
  if (block.type === 'tool_result') {
    const event = facts.findLast((fact) => fact.type === 'tool.completed' && fact.toolCallId === block.toolCallId);
    return event?.type === 'tool.completed' ? { event, path: 'content', recorded: json(event.content) } : undefined;
  }
  const entries = facts.filter((fact) => fact.type === 'entry.completed');
  const text = JSON.stringify(block);
  const kind = role === 'assistant' ? 'assistant' : 'message';
  const said = entries.filter(({ entry }) => entry.type === kind);
  for (const event of said) {
    const content = contentOf(event);
    const place = content.findIndex((each) => JSON.stringify(each) === text);
    if (place >= 0) return { event, path: `entry.content[${place}]`, recorded: json(content[place]) };
  }
  const event = said.at(-1);
  return event === undefined ? undefined : { event, path: 'entry.content', recorded: json(contentOf(event)) };
}

function contentOf(event: Extract<AnyEvent, { type: 'entry.completed' }>): readonly object[] {
  return 'content' in event.entry && Array.isArray(event.entry.content) ? event.entry.content : [];
}

function json(value: object | undefined): JsonValue | undefined {
  return value as JsonValue | undefined;
}
