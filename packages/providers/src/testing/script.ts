import type { JsonObject } from '@rondo/protocol';

/** A part of a text: sent as one delta, or, when a promise, waited for before the next one is sent. */
export type Piece = string | Promise<unknown>;

/** A block of a scripted reply. All but promises is plain JSON, so a script may stand in a file. */
export type ScriptBlock =
  | { readonly type: 'text'; readonly text: string; readonly pieces?: readonly Piece[]; readonly pieceLength?: number }
  | { readonly type: 'thinking'; readonly text: string; readonly signature?: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }
  | {
      readonly type: 'tool_call';
      readonly name: string;
      readonly input: JsonObject;
      readonly id?: string;
      /** Streamed in place of the input, e.g. JSON that breaks off. */
      readonly json?: string;
    }
  /** A block as it stands on the wire, for kinds that the adapter does not know. */
  | { readonly type: 'wire'; readonly block: JsonObject; readonly deltas?: readonly JsonObject[] }
  /** Sends nothing until the promise settles. */
  | { readonly type: 'hold'; readonly until: Promise<unknown> };

/** How the bytes of a reply are cut and dressed. */
export interface WireStyle {
  /** Writes this many bytes at a time, each on its own. */
  readonly bytesPerWrite?: number;
  /** Writes this many events at a time; 1 when not given. */
  readonly eventsPerWrite?: number;
  readonly lineEnding?: '\n' | '\r\n' | '\r';
  /** Puts a comment line before every event. */
  readonly comments?: boolean;
  /** Puts a `ping` before every event. */
  readonly pings?: boolean;
}

/** A place in the stream of a reply. */
export type StreamPoint =
  | 'headers'
  /** Behind the last event of the first tool call. */
  | 'first-tool-call'
  | { readonly events: number }
  /** Behind that many whole events and half of the next. */
  | { readonly halfEvent: number };

export type StreamFault =
  /**
   * Ends the stream: `close` ends the connection without ending the body, `reset` does so by a TCP reset (which may
   * overtake what was sent), `end` ends the body as if it were whole.
   */
  | { readonly type: 'cut'; readonly after: StreamPoint; readonly how: 'close' | 'reset' | 'end' }
  /** Sends nothing more and leaves the connection open. */
  | { readonly type: 'silence'; readonly after: StreamPoint }
  | {
      readonly type: 'error';
      readonly after: StreamPoint;
      readonly error: { readonly type: string; readonly message: string };
    }
  /** Sends that event (counted from 0) with data that is no JSON. */
  | { readonly type: 'bad_json'; readonly event: number };

export interface ReplyUsage {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly cache_read_input_tokens?: number;
  readonly cache_creation_input_tokens?: number;
  readonly cache_creation?: { readonly ephemeral_5m_input_tokens: number; readonly ephemeral_1h_input_tokens: number };
}

export interface ReplyOptions {
  /** `tool_use` when the reply has a call, else `end_turn`. */
  readonly stopReason?: string;
  readonly stopDetails?: JsonObject;
  /** In place of counts that follow from the lengths of request and reply. */
  readonly usage?: ReplyUsage;
  readonly model?: string;
  readonly id?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly wire?: WireStyle;
  /** Sends nothing more from that place on (behind the headers unless said) until there is a file of that name. */
  readonly hold?: { readonly until: string; readonly after?: StreamPoint };
  readonly fault?: StreamFault;
}

export interface ReplyStep extends ReplyOptions {
  readonly type: 'reply';
  readonly blocks: readonly ScriptBlock[];
}

export interface StatusStep {
  readonly type: 'status';
  readonly status: number;
  /** The whole body; made from `error` when not given. */
  readonly body?: string;
  readonly error?: { readonly type: string; readonly message: string };
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the server does with one request. A block or a list of blocks is a reply made of them. */
export type Step =
  | ScriptBlock
  | readonly ScriptBlock[]
  | ReplyStep
  | StatusStep
  /** Resets the connection before any byte of an answer. */
  | { readonly type: 'reset' }
  /** Takes the request and never answers. */
  | { readonly type: 'mute' };

/** A text block; given as pieces, each is one delta and a promise among them holds the stream until it settles. */
export function text(content: string | readonly Piece[], options: { readonly pieceLength?: number } = {}): ScriptBlock {
  if (typeof content === 'string') return { type: 'text', text: content, ...options };
  return { type: 'text', text: content.filter((piece) => typeof piece === 'string').join(''), pieces: content };
}

/** Reasoning. Without a signature the server signs it, and refuses it later if it comes back altered. */
export function thinking(content: string, signature?: string): ScriptBlock {
  return { type: 'thinking', text: content, ...(signature !== undefined && { signature }) };
}

export function redactedThinking(data: string): ScriptBlock {
  return { type: 'redacted_thinking', data };
}

/** A call. Without an ID it gets one that is unique in its conversation and the same in every run. */
export function toolCall(name: string, input: JsonObject, id?: string): ScriptBlock {
  return { type: 'tool_call', name, input, ...(id !== undefined && { id }) };
}

/** A call whose input is streamed exactly as given, JSON or not. */
export function malformedToolCall(name: string, json: string, id?: string): ScriptBlock {
  return { type: 'tool_call', name, input: {}, json, ...(id !== undefined && { id }) };
}

/** A block as it stands on the wire, e.g. of a kind that nobody knows yet. */
export function wireBlock(block: JsonObject, deltas: readonly JsonObject[] = []): ScriptBlock {
  return { type: 'wire', block, deltas };
}

/** Holds the stream at this place until the promise settles. */
export function hold(until: Promise<unknown>): ScriptBlock {
  return { type: 'hold', until };
}

/** A reply with more said about it than its blocks. */
export function reply(blocks: ScriptBlock | readonly ScriptBlock[], options: ReplyOptions = {}): ReplyStep {
  return { type: 'reply', blocks: 'type' in blocks ? [blocks] : blocks, ...options };
}

export interface StatusOptions {
  readonly type?: string;
  readonly message?: string;
  readonly body?: string;
  /** Seconds, or an HTTP date. */
  readonly retryAfter?: number | string;
  readonly headers?: Readonly<Record<string, string>>;
}

const errorTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

/** An error answer, with the body that the API gives to that status. */
export function status(code: number, options: StatusOptions = {}): StatusStep {
  const { retryAfter, headers, body, type, message } = options;
  return {
    type: 'status',
    status: code,
    error: {
      type: type ?? errorTypes[code] ?? (code < 500 ? 'invalid_request_error' : 'api_error'),
      message: message ?? `scripted status ${code}`,
    },
    ...(body !== undefined && { body }),
    headers: { ...headers, ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }) },
  };
}

/** The refusal of a conversation that no longer fits the model's window. */
export function promptTooLong(tokens = 210_000, limit = 200_000): StatusStep {
  return status(400, { message: `prompt is too long: ${tokens} tokens > ${limit} maximum` });
}

/** Resets the connection before any byte of an answer. */
export function reset(): Step {
  return { type: 'reset' };
}

/** Takes the request and never answers it. */
export function mute(): Step {
  return { type: 'mute' };
}

/** The step that many times, e.g. `...times(3, status(529)), text('at last')`. */
export function times(count: number, step: Step): readonly Step[] {
  return Array.from({ length: count }, () => step);
}
