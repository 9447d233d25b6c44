import type { TurnRecord } from '@rondo/protocol';
import type { ToolResult } from '../tool/tool.ts';

/** What the parent's model is told of a subagent's turn: its final text, or what became of it. */
export function subagentResult(agent: string, record: TurnRecord): ToolResult {
  const { sessionId, turnId, text } = record;
  const structured = { sessionId, turnId, outcome: record.type };
  switch (record.type) {
    case 'completed': {
      const by = stoppedBy(record);
      if (by === undefined)
        return { content: text === '' ? `The agent ${agent} ended without saying anything.` : text, structured };
      return {
        content: withText(`The agent ${agent} was stopped by ${by} before it was done.`, text),
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

/** What ended the agent's turn before the agent did; undefined when it was done. */
function stoppedBy({ stopReason, stopDetails }: Extract<TurnRecord, { type: 'completed' }>): string | undefined {
  switch (stopReason) {
    case 'max_turns':
      return 'its limit of model requests';
    case 'max_budget':
      return 'the budget';
    case 'max_duration':
      return 'the end of its time';
    case 'hook_skipped':
    case 'hook_rejected': {
      const { hook = '', reason } = stopDetails ?? {};
      return `the hook ${JSON.stringify(hook)}${typeof reason === 'string' ? ` (${reason})` : ''}`;
    }
    default:
      return undefined;
  }
}

function withText(message: string, text: string): string {
  return text === '' ? message : `${message} The last that it said:\n${text}`;
}
