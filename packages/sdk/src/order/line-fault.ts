import type { SDKMessage } from '@rondo/protocol';

/** A rule that a list of lines breaks, and where. */
export interface LineFault {
  readonly rule: string;
  /** Place of the line in the list at which it shows. */
  readonly index: number;
  readonly why: string;
}

export type Report = (rule: string, index: number, why: string) => void;

export interface OrderOptions {
  /** The list begins in the middle of a session: calls of before may get their results in it. */
  readonly resumed?: boolean;
  /** The list ends before its session rests: whatever is still open is no fault. */
  readonly cut?: boolean;
}

export type LineRules = (lines: readonly SDKMessage[], report: Report, options: OrderOptions) => void;

/** A line's kind in one word: `system/init`, `assistant`, `stream_event/message_start`. */
export function kindOf(line: SDKMessage): string {
  if (line.type === 'stream_event') return `stream_event/${line.event.type}`;
  return 'subtype' in line ? `${line.type}/${line.subtype}` : line.type;
}

/** The calls that a line of the model makes. */
export function callsOf(line: SDKMessage): readonly { readonly id: string; readonly name: string }[] {
  if (line.type !== 'assistant') return [];
  return line.message.content.flatMap((block) => (block.type === 'tool_use' ? [block] : []));
}

/** The calls that a line of the person's side gives results of. */
export function resultsOf(line: SDKMessage): readonly string[] {
  if (line.type !== 'user' || typeof line.message.content === 'string') return [];
  return line.message.content.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []));
}

/** Says that the person has stopped the turn. */
export function interruptionOf(line: SDKMessage): 'aborted_streaming' | 'aborted_tools' | undefined {
  if (line.type !== 'user' || typeof line.message.content === 'string') return undefined;
  const [block] = line.message.content;
  if (block?.type !== 'text') return undefined;
  if (block.text === '[Request interrupted by user]') return 'aborted_streaming';
  return block.text === '[Request interrupted by user for tool use]' ? 'aborted_tools' : undefined;
}
