import type { ContentBlock, JsonObject, ModelBlock, TokenUsage } from '@rondo/protocol';

/** A tool as the model sees it. */
export interface ToolSpecification {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly inputSchema: JsonObject;
}

export interface ToolResultBlock {
  readonly type: 'tool_result';
  readonly toolCallId: string;
  readonly content: readonly ContentBlock[];
  readonly isError: boolean;
}

/**
 * One message of the conversation. Messages are immutable and the same object comes back in every later request of the
 * session, so an adapter may keep a message's serialised form by its identity.
 */
export type ModelMessage =
  | { readonly role: 'user'; readonly content: readonly (ContentBlock | ToolResultBlock)[] }
  | {
      readonly role: 'assistant';
      readonly content: readonly ModelBlock[];
      readonly model: string;
      /** Its provider stopped at `pause_turn`. Where it is the last message, it is sent back for the model to go on with. */
      readonly paused?: true;
    };

export type Thinking =
  | { readonly type: 'adaptive'; readonly display?: 'summarized' | 'omitted' }
  | { readonly type: 'enabled'; readonly budgetTokens?: number; readonly display?: 'summarized' | 'omitted' }
  | { readonly type: 'disabled' };

/** What the text of the model's final answer is to be. */
export interface ModelOutput {
  /** JSON Schema; the same object in every request of a session, so that an adapter may keep what it makes of it. */
  readonly schema: JsonObject;
}

export type Effort = 'low' | 'medium' | 'high' | 'xhigh' | 'max';

/**
 * What a model is asked. The context builder has proved it: roles alternate, the last message is the user's or a reply
 * that paused, every tool call is followed by its result in order, reasoning of another model is gone, every content
 * block is inline.
 */
export interface ModelRequest {
  readonly system: string;
  readonly tools: readonly ToolSpecification[];
  readonly messages: readonly ModelMessage[];
  readonly maxOutputTokens?: number;
  readonly thinking?: Thinking;
  readonly effort?: Effort;
  readonly temperature?: number;
  readonly output?: ModelOutput;
  /** Tokens for the whole task, of which the model's own provider counts what is left. Only for models that say so. */
  readonly taskBudget?: { readonly total: number };
  /** Names the conversation for providers that take such a name. */
  readonly sessionId?: string;
}

/** Why the model stopped. A provider's own word that means none of these is kept as it came. */
export type StopReason =
  | 'end_turn'
  | 'tool_use'
  | 'max_tokens'
  | 'stop_sequence'
  | 'pause_turn'
  | 'refusal'
  | (string & {});

/**
 * A piece of a reply, in order: one `start`, then for each block its `block-start`, any `delta`s and its `block-end`
 * with the whole block, then one `end`. Blocks do not interleave; `index` counts them from 0.
 */
export type ModelPart =
  | {
      readonly type: 'start';
      readonly providerMessageId?: string;
      readonly model?: string;
      readonly usage?: TokenUsage;
    }
  | { readonly type: 'block-start'; readonly index: number; readonly block: 'text' | 'reasoning' | 'opaque' }
  | {
      readonly type: 'block-start';
      readonly index: number;
      readonly block: 'tool_call';
      readonly toolCallId: string;
      readonly name: string;
    }
  | { readonly type: 'delta'; readonly index: number; readonly text: string }
  | { readonly type: 'block-end'; readonly index: number; readonly block: ModelBlock }
  | {
      readonly type: 'end';
      readonly stopReason: StopReason;
      readonly usage: TokenUsage;
      /** What the provider adds to its reason, e.g. why it refused. */
      readonly stopDetails?: JsonObject;
    };

/** US dollars a million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly cacheWriteOneHour?: number;
  /** What a request costs instead, reply included, when its prompt, cached or not, is longer than `aboveTokens`. */
  readonly longPrompt?: { readonly aboveTokens: number; readonly price: ModelPrice };
}

export interface ModelLimits {
  /** Tokens. */
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
}

/**
 * What a model takes beside text. The context builder replaces anything else, and anything over a limit, by a text that
 * says what was there, before it can cost a request. An absent figure is the context builder's own. Of a model without
 * any of this the builder keeps the strictest figures of all providers, and leaves documents and audio to its adapter.
 */
export interface ModelInput {
  /** Media types of images; PNG, JPEG, GIF and WebP when not given, none by an empty list. */
  readonly images?: readonly string[];
  /** Media types of documents, e.g. `application/pdf`; none when not given. */
  readonly documents?: readonly string[];
  /** Media types of audio; none when not given. */
  readonly audio?: readonly string[];
  /** Images in one request. */
  readonly maxImages?: number;
  /** Base64 characters of one image. */
  readonly maxImageCharacters?: number;
  /** Pixels of an image's longer edge. */
  readonly maxImageEdge?: number;
  /** False: images that are animated are refused. */
  readonly animatedImages?: boolean;
  /** A stricter edge once a request has more images than that; none when not given. */
  readonly manyImages?: { readonly above: number; readonly maxImageEdge: number };
  /** Base64 characters of one document. */
  readonly maxDocumentCharacters?: number;
  /** Pages of all documents in one request. */
  readonly maxDocumentPages?: number;
  /** Characters of all content together. */
  readonly maxRequestCharacters?: number;
}

/** A reply as it comes. */
export interface ModelParts extends AsyncIterable<ModelPart> {
  /**
   * A part that has come already and that the iteration will not give again; undefined where none has. Who makes many parts at
   * once saves its reader a promise for each of them. Absent: the iteration gives them all.
   */
  takeWaiting?(): ModelPart | undefined;
}

/**
 * A model that can be asked. `stream` makes one attempt: it yields the parts and returns after `end`, or throws a
 * `RondoError` of the `model.*` codes (with `details.status` and `details.retryAfterMs` where known). It never retries:
 * the turn does, so that every retry is an event. Aborting the signal closes the connection and throws
 * `operation.aborted`.
 */
export interface Model {
  /** Resolved name, `provider/model`. */
  readonly name: string;
  readonly limits?: ModelLimits;
  readonly price?: ModelPrice;
  readonly input?: ModelInput;
  /** Its provider counts down a task's tokens for it, of at least so many. Absent: it has to be told what is left. */
  readonly leastTaskBudget?: number;
  /** Decides by itself how much to think, where it is asked to. Absent: it is only asked for what a binding's `thinking` says. */
  readonly thinksAdaptively?: boolean;
  /** Where its key comes from, for messages to people: `ANTHROPIC_API_KEY`. Never the key. */
  readonly keySource?: string;
  /** Values that must never be shown or stored. */
  readonly secrets?: readonly string[];
  stream(request: ModelRequest, options: { readonly signal: AbortSignal }): ModelParts;
  /**
   * How many tokens the provider counts in the request, its reply not included. Absent where the provider does not say.
   * Throws as `stream` does.
   */
  countTokens?(request: ModelRequest, options: { readonly signal: AbortSignal }): Promise<number>;
  /**
   * Told by whoever made the model from its name that nobody will ask any more. Rejects where the model was not used as
   * it had to be, e.g. with steps of a script left.
   */
  close?(): Promise<void>;
}
