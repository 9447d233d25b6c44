import type { TurnRecord } from '@rondo/protocol';
import type { ToolResult } from '../tool/tool.ts';

/** What the parent's model is told of a subagent's turn: its final text, or what became of it. */
export function subagentResult(agent: string, record: TurnRecord): ToolResult {
  const { sessionId, turnId, text } = record;
  const structured = { sessionId, turnId, outcome: record.type };
  switch (record.type) {
    case 'completed': {
      const cut = record.stopReason === 'max_turns' || record.stopReason === 'max_budget';
      if (!cut)
        return { content: text === '' ? `The agent ${agent} ended without saying anything.` : text, structured };
      const limit = record.stopReason === 'max_turns' ? 'its limit of model requests' : 'the budget';
      return {
        content: withText(`The agent ${agent} was stopped by ${limit} before it was done.`, text),
        structured,
        isError: true,
      };
    }
    case 'failed':
      return {
        content: withText(`The agent ${agent} failed: ${record.error.message}`, text),
        structured,
        isError: true,
      };
    default: {
      const message = `The agent ${agent} was interrupted before it was done; what it had done by then stands.`;
      return { content: withText(message, text), structured, isError: true };
    }
  }
}

function withText(message: string, text: string): string {
  return text === '' ? message : `${message} The last that it said:\n${text}`;
}
