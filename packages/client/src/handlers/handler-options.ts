import type { ApprovalRequest, JsonValue, OpenCallback, SignInRequest } from '@rondo/protocol';
import type {
  AllowApproval,
  ClientToolResult,
  DenyApproval,
  KeepCallbackOpen,
  SignIn,
  ToolValue,
} from '../answer/answer.ts';

/** Which question a handler is asked. `sessionId` may be a subagent's. */
export interface CallbackContext {
  readonly callbackId: string;
  readonly sessionId: string;
  readonly turnId: string;
  /** What a person reads first. */
  readonly title: string;
}

/** A call of a client tool that waits for its result. */
export interface ClientToolCall {
  readonly callbackId: string;
  readonly sessionId: string;
  readonly turnId: string;
  readonly toolCallId: string;
  /** With its namespace: `client.pick_file`. */
  readonly toolId: string;
  readonly name: string;
  readonly arguments: JsonValue;
}

export type ApprovalHandler = (
  context: CallbackContext,
  request: ApprovalRequest,
) => ApprovalHandlerAnswer | Promise<ApprovalHandlerAnswer>;
type ApprovalHandlerAnswer = AllowApproval | DenyApproval | KeepCallbackOpen;

export type SignInHandler = (
  context: CallbackContext,
  requests: readonly SignInRequest[],
) => SignIn | KeepCallbackOpen | Promise<SignIn | KeepCallbackOpen>;

export type ClientToolHandler = (call: ClientToolCall) => ClientToolValue | Promise<ClientToolValue>;
/** Undefined counts as null. */
export type ClientToolValue = ToolValue | ClientToolResult | KeepCallbackOpen | undefined | void;

/** Functions that answer client tools, one a tool. Made by `clientToolAnswers`. */
export interface ClientToolAnswers {
  /** The function for this call; undefined where there is none, so that the call stays open. */
  find(call: ClientToolCall): ClientToolHandler | undefined;
}

/**
 * What answers a session's questions, and those of its subagents, while somebody waits for one of its turns. Reads and
 * iterations never ask a handler. However many waits run at once, a question is put to one handler once.
 */
export interface HandlerOptions {
  /** What it throws, or gives in place of an answer, ends the wait; the question stays open and the turn goes on. */
  readonly onApproval?: ApprovalHandler;
  /** As `onApproval`. */
  readonly onSignIn?: SignInHandler;
  /** A wait does not end for calls that it answers. What it throws goes by `toolErrors`. */
  readonly onClientTool?: ClientToolHandler | ClientToolAnswers;
}

/** `report`: the model is told that the call failed. `raise`: the wait throws the error and the call stays open. */
export type ToolErrors = 'report' | 'raise';

/** A question of a kind that this version knows, and so can answer. */
export type AnswerableCallback = Exclude<OpenCallback, { readonly type: 'unknown' }>;
