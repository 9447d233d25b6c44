import type { ErrorCode, RondoError } from '@rondo/protocol';
import type { ModelPart } from '@rondo/runtime';
import type { ReadAhead } from '../http/event-stream-decoder.ts';

/** The vendor's own name for a failure, and its words. */
export interface WireError {
  readonly type: string;
  readonly message: string;
}

export interface ErrorBody {
  readonly error?: WireError;
  readonly requestId?: string;
  /** How long the server asks to wait, where it says so in the body. */
  readonly retryAfterMs?: number;
}

export interface ReplyReaderOptions {
  readonly emit: (part: ModelPart) => void;
  /** Makes the error of a reply that does not follow the protocol. */
  readonly broken: (reason: string) => RondoError;
  /** Makes the error of one that the server reports inside a stream that began well. */
  readonly failed: (error: WireError) => RondoError;
}

/** Turns the events of one streamed reply into model parts. */
export interface ReplyReader {
  /** Takes one event's data. Throws when the reply is broken or is an error; then the reader is spent. */
  read(data: string): void;
  /** The decoder's way around `read` for whole events that are nothing but a piece of the open text. */
  readonly readAhead?: ReadAhead;
  /** The body ended without an end mark: emits `end` where the reply is whole all the same. May throw as `read` does. */
  finish?(): void;
  /** True once `end` was emitted; whatever comes later is passed over. */
  ended(): boolean;
  /** Where the reply stands, for the message of a reply that breaks off. */
  position(): string;
}

/** What differs between the wires of two vendors, once a request is encoded. */
export interface Dialect {
  createReader(options: ReplyReaderOptions): ReplyReader;
  /** Reads an error body, whether it is the vendor's JSON or what some proxy said. Never throws. */
  parseErrorBody(text: string): ErrorBody;
  /** Our code for the vendor's error; undefined leaves it to the status. No status: it came inside a stream. */
  errorCode(error: WireError, status?: number): ErrorCode | undefined;
  /** The response header that names a request, in lower case. */
  readonly requestIdHeader: string;
}
