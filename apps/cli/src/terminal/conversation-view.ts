import type { SDKMessage, SDKResultMessage } from '@rondo/sdk';
import { resultProblem } from '../headless/output.ts';
import { createMessageLines } from './message-lines.ts';
import type { Paint } from './painter.ts';
import { printableText } from './printable-text.ts';

export interface ConversationViewOptions {
  readonly write: (text: string) => void;
  readonly paint: Paint;
  readonly cwd: string;
  readonly width: number;
  /** Most lines of a command's output. */
  readonly outputLines?: number;
}

/**
 * Shows a conversation's messages as they come: the model where it is another one than before, text piece by piece,
 * calls and results in short, the turn's end.
 */
export interface ConversationView {
  show(message: SDKMessage): void;
  /** A line of our own, on a line of its own. */
  line(text: string): void;
}

export function createConversationView(options: ConversationViewOptions): ConversationView {
  const { write, paint } = options;
  const messageLines = createMessageLines({ ...options, detail: 'results' });
  let atLineStart = true;
  /** The block at hand was shown as it came, so its whole is not shown again. */
  let streamed = false;
  /** The last thing shown was of a tool: what is said next stands apart from it. */
  let afterTool = false;

  let model: string | undefined;

  const put = (text: string): void => {
    if (text === '') return;
    write(text);
    atLineStart = text.endsWith('\n');
  };
  const line = (text: string): void => put(`${atLineStart ? '' : '\n'}${text}\n`);

  const apart = (): void => {
    if (afterTool) put('\n');
    afterTool = false;
  };

  function showModel(name: string): void {
    if (name !== model) line(paint('dim', `Model: ${printableText(name)}`));
    model = name;
  }

  function show(message: SDKMessage): void {
    switch (message.type) {
      case 'stream_event': {
        const { event } = message;
        if (event.type !== 'content_block_delta' || event.delta.type !== 'text_delta') return;
        streamed = true;
        apart();
        return put(printableText(event.delta.text));
      }
      case 'assistant':
        for (const block of message.message.content) {
          if (block.type !== 'text') continue;
          if (streamed) put(atLineStart ? '' : '\n');
          else if (!message.is_api_error_message) {
            apart();
            line(printableText(block.text));
          }
          streamed = false;
        }
        break;
      case 'result':
        if (message.is_error) line(paint('red', printableText(resultProblem(message))));
        return line(paint('dim', resultLine(message)));
      case 'system':
        if (message.subtype === 'init') showModel(message.model);
        // What a broken stream had said is said again.
        if (message.subtype === 'api_retry') streamed = false;
        break;
      default:
    }
    for (const text of messageLines(message)) {
      line(text);
      afterTool = message.type !== 'system' || afterTool;
    }
  }
  return { show, line };
}

/** What the turn took: `2 model calls, 3.4 s, $0.0123`. */
function resultLine(result: SDKResultMessage): string {
  const calls = `${result.num_turns} model call${result.num_turns === 1 ? '' : 's'}`;
  const cost = result.total_cost_usd > 0 ? `, $${result.total_cost_usd.toFixed(4)} so far` : '';
  return `${calls}, ${(result.duration_ms / 1000).toFixed(1)} s${cost}`;
}
