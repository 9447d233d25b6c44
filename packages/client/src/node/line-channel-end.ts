import type { Readable, Writable } from 'node:stream';
import { type DecodedFrame, decodeFrame } from '@rondo/protocol';
import { createLineReader, RondoError } from '@rondo/protocol/values';
import { type ChannelEnd, createChannelEnd, receiveText, unreadable } from '../channel/channel-end.ts';

export interface LineStreams {
  /** What the host writes. */
  readonly input: Readable;
  /** What the host reads. */
  readonly output: Writable;
}

export interface LineOptions {
  /** Names the other end, for errors. */
  readonly host: string;
  /** Lets go of both streams. Called once, when the channel ends. */
  readonly close: () => void;
}

/** More than any frame; a line without an end must not fill the memory. */
const MOST_LINE_BYTES = 256 * 1024 * 1024;

/** A channel over two streams of bytes, one frame a line. It ends with either of them. */
export function createLineChannelEnd({ input, output }: LineStreams, { host, close }: LineOptions): ChannelEnd {
  const read = createLineReader(MOST_LINE_BYTES);
  const decoder = new TextDecoder();
  const decode: (text: string) => DecodedFrame = decodeFrame;
  const end = createChannelEnd({
    send: (frame) => void output.write(`${JSON.stringify(frame)}\n`),
    close() {
      input.off('data', onData);
      close();
    },
  });

  function onData(chunk: Uint8Array): void {
    for (const line of read(chunk)) {
      if (line === 'too-long') end.end(unreadable(`a line is longer than ${MOST_LINE_BYTES} bytes`));
      else if (line.length > 0) receiveText(end, decode, decoder.decode(line));
    }
  }

  const lost = (what: string, cause?: unknown): void =>
    end.end(new RondoError('channel.closed', `${host} ${what}; connect again to go on`, { cause }));
  input.on('data', onData);
  input.on('end', () => lost('has closed'));
  input.on('close', () => lost('has closed'));
  input.on('error', (error) => lost(`cannot be read: ${error.message}`, error));
  output.on('error', (error) => lost(`takes nothing more: ${error.message}`, error));
  return end;
}
