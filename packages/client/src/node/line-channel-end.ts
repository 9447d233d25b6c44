import type { Readable, Writable } from 'node:stream';
import { type DecodedFrame, decodeFrame } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import { type ChannelEnd, createChannelEnd, receiveText, unreadable } from '../channel/channel-end.ts';
import { createLineReader } from '../channel/line-reader.ts';

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

/** A channel over two streams of bytes, one frame a line. It ends with either of them. */
export function createLineChannelEnd({ input, output }: LineStreams, { host, close }: LineOptions): ChannelEnd {
  const read = createLineReader();
  const decode: (text: string) => DecodedFrame = decodeFrame;
  const end = createChannelEnd({
    send: (frame) => void output.write(`${JSON.stringify(frame)}\n`),
    close() {
      input.off('data', onData);
      close();
    },
  });

  function onData(chunk: Buffer<ArrayBuffer>): void {
    try {
      for (const line of read(chunk)) receiveText(end, decode, line);
    } catch (error) {
      end.end(unreadable(error instanceof Error ? error.message : String(error)));
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
