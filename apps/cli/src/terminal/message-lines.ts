import type { SDKMessage, SDKUserMessage } from '@rondo/sdk';
import { patchLines } from './diff-lines.ts';
import type { Paint } from './painter.ts';
import { cutLine, printableLine, printableText } from './printable-text.ts';
import { searchSummary } from './search-summary.ts';
import { toolLine } from './tool-line.ts';

export interface MessageLinesOptions {
  readonly cwd: string;
  readonly width: number;
  readonly paint: Paint;
  /** `calls`: one line a call, results only where they failed. `results`: what came out as well, shortened. */
  readonly detail: 'calls' | 'results';
  /** Most lines of a command's output, six unless said. */
  readonly outputLines?: number;
}

const diffLimit = 24;

/**
 * What a person sees of a turn at work, but not the answer: calls, results, refusals, retries, notices. One function
 * a turn, since a result is shown by the call it belongs to. Every line is safe to print.
 */
export function createMessageLines(options: MessageLinesOptions): (message: SDKMessage) => string[] {
  const { paint, width, outputLines = 6 } = options;
  const calls = new Map<string, { readonly name: string; readonly line: string }>();
  const refused = new Set<string>();
  /** The call whose line is the last one shown: what came of it needs no name. */
  let lastShown: string | undefined;

  const indented = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);

  function ofResults(message: SDKUserMessage): string[] {
    const { content } = message.message;
    if (typeof content === 'string') return [];
    return content.flatMap((block) => {
      if (block.type !== 'tool_result') return [];
      const call = calls.get(block.tool_use_id);
      calls.delete(block.tool_use_id);
      if (refused.delete(block.tool_use_id)) return [];
      const lines = outcome(call?.name, block, message.tool_use_result);
      const named = lines.length === 0 || call === undefined || lastShown === block.tool_use_id;
      lastShown = undefined;
      return indented(named ? lines : [paint('dim', `${call.line}:`), ...indented(lines)]);
    });
  }

  function outcome(name: string | undefined, block: ToolResult, structured: unknown): string[] {
    const text = resultText(block.content);
    if (block.is_error) {
      const [first = '', ...rest] = shortened(text, options.detail === 'calls' ? 1 : outputLines);
      return [paint('red', `✗ ${first}`), ...rest.map((line) => paint('dim', line))];
    }
    if (options.detail === 'calls') return [];
    const changed = patchLines(structured, paint, diffLimit);
    if (changed !== undefined) return changed;
    if (name === 'Bash') return shortened(text, outputLines).map((line) => paint('dim', line));
    const found = name === 'Glob' || name === 'Grep' ? searchSummary(structured) : undefined;
    return [paint('dim', printableLine(found ?? summary(text), width - 4))];
  }

  function shortened(text: string, limit: number): string[] {
    const lines = printableText(text).trimEnd().split('\n');
    const rest = lines.length - limit;
    const shown = lines.slice(0, limit).map((line) => cutLine(line, width - 4));
    return rest <= 0 ? shown : [...shown, `… ${rest} more line${rest === 1 ? '' : 's'}`];
  }

  return (message) => {
    switch (message.type) {
      case 'assistant':
        return message.message.content.flatMap((block) => {
          if (block.type !== 'tool_use') return [];
          const line = toolLine(block.name, block.input, { cwd: options.cwd, width: width - 2 });
          calls.set(block.id, { name: block.name, line });
          lastShown = block.id;
          return [`${paint('cyan', '•')} ${line}`];
        });
      case 'user':
        return ofResults(message);
      case 'system':
        switch (message.subtype) {
          case 'api_retry':
            return [paint('yellow', printableLine(retryLine(message), width))];
          case 'permission_denied':
            refused.add(message.tool_use_id);
            return indented([
              paint('red', printableLine(`✗ not allowed: ${message.decision_reason ?? message.message}`, width - 2)),
            ]);
          case 'informational':
            return printableText(message.content)
              .split('\n')
              .map((line) => paint(message.level === 'warning' ? 'yellow' : 'dim', line));
          default:
            return [];
        }
      default:
        return [];
    }
  };
}

type Retry = Extract<SDKMessage, { subtype: 'api_retry' }>;

function retryLine(retry: Retry): string {
  const status = retry.error_status === null ? '' : ` (${retry.error_status})`;
  const seconds = (retry.retry_delay_ms / 1000).toFixed(1);
  const reason = retry.error === 'unknown' ? 'no connection' : retry.error.replaceAll('_', ' ');
  return `↻ The model did not answer: ${reason}${status}. Retry ${retry.attempt} of ${retry.max_retries} in ${seconds} s`;
}

type ToolResult = Extract<Exclude<SDKUserMessage['message']['content'], string>[number], { type: 'tool_result' }>;

function resultText(content: ToolResult['content']): string {
  if (typeof content === 'string') return content;
  return content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n');
}

function summary(text: string): string {
  const lines = text.trimEnd().split('\n');
  return lines.length > 1 ? `${lines.length} lines` : text;
}
