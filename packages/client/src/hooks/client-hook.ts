import type {
  ContentBlock,
  JsonObject,
  JsonValue,
  ModelBlock,
  TokenUsage,
  ToolAnnotations,
  ToolKind,
} from '@rondo/protocol';

/** Words, or content blocks. */
type Words = string | readonly ContentBlock[];

/** What a hook decides, as plain JSON. Which of them a point knows stands in its function's type. */
export type ClientHookDecision =
  | {
      readonly type: 'continue';
      readonly userContent?: Words;
      readonly arguments?: JsonObject;
      readonly result?:
        | Words
        | { readonly content: Words; readonly structured?: JsonValue; readonly isError?: boolean };
      readonly text?: string;
    }
  | { readonly type: 'skip'; readonly reason: Words }
  | { readonly type: 'retry'; readonly feedback: Words }
  | { readonly type: 'reject'; readonly reason: Words }
  | { readonly type: 'ask'; readonly reason: string };

type Decided<Type extends ClientHookDecision['type']> =
  | Extract<ClientHookDecision, { readonly type: Type }>
  | undefined
  | void;
type HookAnswer<Type extends ClientHookDecision['type']> = Decided<Type> | Promise<Decided<Type>>;

export interface ClientHookContext {
  readonly sessionId: string;
  readonly turnId: string;
  /** Aborts when the connection is lost. What the hook returns after that counts for nothing; it is asked again. */
  readonly signal: AbortSignal;
}

/** A call of a tool, with its arguments as the hooks before have left them. */
export interface HookedToolCall {
  readonly toolId: string;
  readonly toolName: string;
  readonly toolKind: ToolKind;
  readonly annotations?: ToolAnnotations;
  readonly callId: string;
  readonly toolCallId: string;
  readonly arguments: JsonObject;
}

export interface HookedToolResult {
  readonly content: readonly ContentBlock[];
  readonly structured?: JsonValue;
  readonly isError: boolean;
}

/**
 * A hook that lives in this client and is run by a host. One that throws, takes too long or decides what its point does not
 * know fails closed, as a hook in the host's process does. It is run at least once.
 */
export interface ClientHook {
  /** Stable, and unique among the hooks of the binding: a session is gone on with only where there is one of that name. */
  readonly name: string;
  /** How long a run may take; a minute unless said. */
  readonly timeoutMs?: number;
  preAgentTurn?(
    context: ClientHookContext,
    turn: { readonly userContent: readonly ContentBlock[] },
  ): HookAnswer<'continue' | 'skip'>;
  preLlmCall?(
    context: ClientHookContext,
    call: { readonly model: string; readonly iteration: number; readonly userContent: readonly ContentBlock[] },
  ): HookAnswer<'continue' | 'skip'>;
  postLlmCall?(
    context: ClientHookContext,
    reply: {
      readonly model: string;
      readonly iteration: number;
      readonly text: string;
      readonly content: readonly ModelBlock[];
      readonly toolCalls: readonly {
        readonly toolCallId: string;
        readonly name: string;
        readonly arguments: JsonValue;
      }[];
      readonly stopReason: string;
      readonly usage: TokenUsage;
    },
  ): HookAnswer<'continue' | 'retry' | 'reject'>;
  preToolCall?(context: ClientHookContext, call: HookedToolCall): HookAnswer<'continue' | 'skip' | 'ask'>;
  postToolCall?(
    context: ClientHookContext,
    call: HookedToolCall & { readonly result: HookedToolResult },
  ): HookAnswer<'continue'>;
  postAgentTurn?(
    context: ClientHookContext,
    turn: { readonly text: string; readonly stopReason: string },
  ): HookAnswer<'continue'>;
}
