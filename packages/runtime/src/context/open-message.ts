import type { ContentBlock } from '@rondo/protocol';
import type { ModelMessage, ToolResultBlock } from '../model/model.ts';
import type { SentCall } from './sendable-reply.ts';

const OPENING = 'The conversation continues from here.';
const CONTINUE = 'Continue.';
const NO_RESULT =
  'The call was cut off before it gave a result. It may or may not have taken effect: find out before you repeat it.';

/** The user message being gathered: results of the calls before it, then what was said. */
export interface OpenMessage {
  readonly entryId: string | undefined;
  readonly calls: readonly SentCall[];
  readonly results: Map<SentCall, ToolResultBlock>;
  readonly content: ContentBlock[];
  /** The reply before it only paused: it goes on when nobody says anything. */
  readonly mayStayAway: boolean;
  built: ModelMessage | undefined;
}

export function openMessage(
  entryId: string | undefined,
  calls: readonly SentCall[],
  mayStayAway: boolean = false,
): OpenMessage {
  return { entryId, calls, results: new Map(), content: [], mayStayAway, built: undefined };
}

export function staysAway({ mayStayAway, content }: OpenMessage): boolean {
  return mayStayAway && content.length === 0;
}

/** The message as it is sent behind that many others: every call has its result, and nothing is empty. */
export function userMessage(open: OpenMessage, before: number): ModelMessage {
  const results = open.calls.map((call) => open.results.get(call) ?? missingResult(call.alias));
  const content = [...results, ...open.content];
  if (content.length === 0) content.push({ type: 'text', text: before === 0 ? OPENING : CONTINUE });
  return { role: 'user', content };
}

function missingResult(toolCallId: string): ToolResultBlock {
  return { type: 'tool_result', toolCallId, isError: true, content: [{ type: 'text', text: NO_RESULT }] };
}
