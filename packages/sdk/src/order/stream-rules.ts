import type { SDKPartialAssistantMessage } from '@rondo/protocol';
import type { LineRules, Report } from './line-fault.ts';

interface Stream {
  readonly message: string;
  /** Blocks that have begun, their texts as far as they were shown. */
  readonly texts: string[];
  isBlockOpen: boolean;
  isDone: boolean;
  /** Lines of whole blocks so far. */
  whole: number;
}

/**
 * Section 3.3: pieces as the messages API streams them, and the line of each whole block inside its message: behind the
 * block's start, and before the stop of the message's last block.
 */
export const streamRules: LineRules = (lines, report, { cut }) => {
  if (!lines.some((line) => line.type === 'stream_event')) return;
  let stream: Stream | undefined;
  let isRequested = false;
  lines.forEach((line, index) => {
    if (line.type === 'system' && line.subtype === 'status' && line.status === 'requesting') isRequested = true;
    if (line.type === 'stream_event') {
      if (line.event.type === 'message_start') {
        if (!isRequested) report('stream.requesting', index, 'a reply begins that nothing was said to be asked for');
        isRequested = false;
      }
      stream = afterPiece(stream, line, index, report);
      return;
    }
    if (line.type === 'result' && stream !== undefined) {
      report('stream.stops', index, 'the turn ends while a reply is streamed');
      stream = undefined;
    }
    if (line.type !== 'assistant' || line.parent_tool_use_id !== null || line.error !== undefined) return;
    if (stream === undefined || stream.message !== line.message.id) {
      report('stream.around-line', index, 'the line of a block that is not being streamed');
      return;
    }
    const [block] = line.message.content;
    const shown = stream.texts[stream.whole];
    if (shown === undefined) report('stream.starts-first', index, 'a whole block whose start was not shown');
    else if (block?.type === 'text' && shown !== block.text)
      report('stream.adds-up', index, 'the pieces of a text are not the text');
    stream.whole += 1;
    if (stream.whole === stream.texts.length && !stream.isBlockOpen)
      report('stream.line-before-stop', index, 'the last block stops before its line');
  });
  if (stream !== undefined && cut !== true) report('stream.stops', lines.length, 'a reply is streamed to no end');
};

function afterPiece(
  stream: Stream | undefined,
  { event, ttft_ms }: SDKPartialAssistantMessage,
  index: number,
  report: Report,
): Stream | undefined {
  if (ttft_ms !== undefined && event.type !== 'message_start')
    report('stream.ttft', index, `${event.type} has ttft_ms, which message_start alone has`);
  if (event.type === 'message_start') {
    if (stream !== undefined) report('stream.one-message', index, 'a message begins before the last one stopped');
    return { message: event.message.id, texts: [], isBlockOpen: false, isDone: false, whole: 0 };
  }
  if (stream === undefined) {
    report('stream.message-first', index, `${event.type} comes outside a message`);
    return undefined;
  }
  if (stream.isDone && event.type !== 'message_stop')
    report('stream.done', index, `${event.type} comes behind message_delta`);
  switch (event.type) {
    case 'content_block_start':
      if (stream.isBlockOpen) report('stream.one-block', index, 'a block begins before the last one stopped');
      if (event.index !== stream.texts.length) report('stream.block-order', index, `block ${event.index} begins`);
      stream.texts.push(event.content_block.type === 'text' ? event.content_block.text : '');
      stream.isBlockOpen = true;
      return stream;
    case 'content_block_delta': {
      const last = stream.texts.length - 1;
      if (!stream.isBlockOpen || event.index !== last)
        report('stream.block-open', index, `a piece of block ${event.index}, which is not open`);
      if (event.delta.type === 'text_delta') stream.texts[last] = (stream.texts[last] ?? '') + event.delta.text;
      return stream;
    }
    case 'content_block_stop':
      if (!stream.isBlockOpen || event.index !== stream.texts.length - 1)
        report('stream.block-open', index, `block ${event.index} stops, which is not open`);
      stream.isBlockOpen = false;
      return stream;
    case 'message_delta':
      if (stream.isBlockOpen) report('stream.blocks-stop', index, 'the message is done while a block is open');
      if (stream.whole !== stream.texts.length)
        report('stream.every-line', index, `${stream.whole} of ${stream.texts.length} blocks came whole`);
      stream.isDone = true;
      return stream;
    case 'message_stop':
      if (stream.isBlockOpen) report('stream.blocks-stop', index, 'the message stops while a block is open');
      // A reply that is not kept stops without having been done, and has no lines.
      if (!stream.isDone && stream.whole > 0)
        report('stream.done', index, 'a reply with lines stops without message_delta');
      return undefined;
  }
}
