import type { IncomingHttpHeaders } from 'node:http';
import type { JsonObject } from '@rondo/protocol';
import type { ReasoningSigner } from './reasoning-signature.ts';
import type { ReplyStep, StatusStep } from './script.ts';

/** One event of the stream, or a promise to wait for before the next. */
export type ReplyEvent = JsonObject | Promise<unknown>;

export interface ReplyContext {
  readonly signer: ReasoningSigner;
  /** The request's body as it came; IDs and default counts follow from it, so that every run has the same. */
  readonly requestText: string;
  readonly requestBody: unknown;
  readonly requestModel: string;
}

export interface DialectRequest {
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

export interface Refusal {
  readonly status: number;
  readonly message: string;
}

export interface WholeAnswer {
  readonly status: number;
  readonly body: JsonObject;
  /** Why the request is refused, which fails the test like any other refusal. */
  readonly refused?: string;
}

/**
 * The server's side of one vendor's wire: what the vendor would refuse, by its public reference, and how it says what a
 * script says.
 */
export interface ServerDialect {
  readonly name: string;
  /** Whether the request asks for a streamed reply in this dialect; it is then answered by the script's next step. */
  asksReply(request: Pick<DialectRequest, 'method' | 'path'>): boolean;
  /** The whole answer to any other request of this dialect, e.g. a list of models; takes no step. */
  answer?(request: DialectRequest, signer: ReasoningSigner): WholeAnswer | undefined;
  /** What the vendor calls a key, for the refusal of a wrong one. */
  readonly keyName: string;
  /** The key that came with the request. */
  keyOf(request: Pick<DialectRequest, 'headers' | 'query'>): string | undefined;
  /** What the vendor would say in place of an answer; undefined for a good request. */
  refuse(request: DialectRequest, signer: ReasoningSigner): Refusal | undefined;
  modelOf(request: Pick<DialectRequest, 'path' | 'body'>): string | undefined;
  /** How many replies of the model the request's conversation holds. */
  repliesIn(body: unknown): number;
  /** The events of a scripted reply, in order. */
  events(step: ReplyStep, context: ReplyContext): ReplyEvent[];
  /** Written as the `event:` line; undefined writes none. */
  eventName(event: JsonObject): string | undefined;
  /** Data of a last event that is no JSON, e.g. `[DONE]`. */
  readonly terminator?: string;
  /** Data of an event that says nothing, for a style that sends them; undefined where the vendor has none. */
  readonly ping?: JsonObject;
  /** Whether this event is the last one of a tool call. */
  endsToolCall(event: JsonObject, events: readonly JsonObject[]): boolean;
  /** An error in the middle of a stream. */
  errorEvent(error: { readonly type: string; readonly message: string }): JsonObject;
  errorBody(step: StatusStep, requestId: string): JsonObject;
  readonly requestIdHeader: string;
}
