import type {
  AllowAnswer,
  DenyAnswer,
  JsonObject,
  JsonValue,
  MethodParams,
  PermissionUpdate,
  SignInAnswer,
} from '@rondo/protocol';
import { copyJson, copyJsonObject } from '../content/copy-json.ts';
import { type TurnInputBlocks, turnContent } from '../content/turn-content.ts';

const mark = Symbol.for('rondo.answer.v0');

/** Lets a call run. Made by {@link allowApproval}. */
export type AllowApproval = Readonly<AllowAnswer> & { readonly [answerMark]: true };
/** Refuses a call. Made by {@link denyApproval}. */
export type DenyApproval = Readonly<DenyAnswer> & { readonly [answerMark]: true };
/** Says which sources were connected. Made by {@link signInAnswer}. */
export type SignIn = Readonly<SignInAnswer> & { readonly [answerMark]: true };
/** An answer as it goes over a channel. */
export type PlainAnswer = MethodParams<'callback/answer'>['answer'];

/** The result of a client tool's call, with what the model reads of it. Made by {@link toolResult}. */
export type ClientToolResult = Readonly<Extract<PlainAnswer, { type: 'tool_result' }>> & {
  readonly [answerMark]: true;
};
/** Of a handler only: somebody else is to answer. Made by {@link keepCallbackOpen}. */
export interface KeepCallbackOpen {
  readonly type: 'keepOpen';
  readonly [answerMark]: true;
}

/** What a client tool's call may be answered with: a result made by {@link toolResult}, or a value that JSON can carry. */
export type ToolValue = string | number | boolean | object | null;

/** An answer that someone meant: to an approval a boolean, or an object that merely looks like an answer, is refused. */
export type Answer = AllowApproval | DenyApproval | SignIn | ClientToolResult | ToolValue;

/** In types only; at run time the mark is a registered symbol, so that two copies of this package know each other's answers. */
declare const answerMark: unique symbol;

export interface AllowOptions {
  /** This call once, or whatever the question's own rule covers for the rest of the session. */
  readonly scope?: 'once' | 'session';
  /** Replaces the arguments; they are validated and judged anew. */
  readonly updatedInput?: JsonObject;
  readonly updatedPermissions?: readonly PermissionUpdate[];
}

/** @throws TypeError for a scope or an input that an approval cannot have. */
export function allowApproval({ scope = 'once', updatedInput, updatedPermissions }: AllowOptions = {}): AllowApproval {
  if (scope !== 'once' && scope !== 'session')
    throw new TypeError(`scope is ${String(scope)}; an approval holds "once" or for the "session"`);
  return brand({
    type: 'allow',
    scope,
    ...(updatedInput === undefined ? {} : { updatedInput: copyJsonObject(updatedInput, 'updatedInput') }),
    ...(updatedPermissions === undefined ? {} : { updatedPermissions: [...updatedPermissions] }),
  });
}

export interface DenyOptions {
  /** What the model reads. */
  readonly message?: string;
  /** Also stops the turn. */
  readonly interrupt?: boolean;
}

export function denyApproval({ message, interrupt }: DenyOptions = {}): DenyApproval {
  return brand({
    type: 'deny',
    ...(message === undefined ? {} : { message }),
    ...(interrupt === undefined ? {} : { interrupt }),
  });
}

/** Together the two lists name every source of the question, and no other. */
export function signInAnswer({
  connected = [],
  denied = [],
}: {
  readonly connected?: readonly string[];
  readonly denied?: readonly string[];
}): SignIn {
  return brand({ type: 'sign_in', connected: [...connected], denied: [...denied] });
}

/** What a handler gives to leave its question to others. It is no answer: to leave a question open, do not answer it. */
export function keepCallbackOpen(): KeepCallbackOpen {
  return brand({ type: 'keepOpen' });
}

export interface ToolResultOptions {
  /** What the model reads; the JSON of `structured` unless given. */
  readonly content?: string | TurnInputBlocks;
  /** The result for programs: what the tool's output schema describes. */
  readonly structured?: JsonValue;
  /** In place of a result: the call failed, and this is what the model reads. */
  readonly error?: string;
}

/**
 * A client tool's result with content for the model that is not its JSON, or how it failed.
 * @throws TypeError for what cannot be sent.
 */
export function toolResult({ content, structured, error }: ToolResultOptions): ClientToolResult {
  if (error !== undefined && (typeof error !== 'string' || content !== undefined || structured !== undefined))
    throw new TypeError('error is a text, and stands in place of content and structured');
  return brand({
    type: 'tool_result',
    ...(error === undefined ? {} : { error }),
    ...(structured === undefined ? {} : { result: copyJson(structured, 'structured') }),
    ...(content === undefined ? {} : { content: turnContent(content) }),
  });
}

/** Whether the value is one of the four answers, made by their functions. */
export function isAnswer(value: unknown): value is AllowApproval | DenyApproval | SignIn | ClientToolResult {
  return isMarked(value) && !isKeepOpen(value);
}

export function isKeepOpen(value: unknown): value is KeepCallbackOpen {
  return isMarked(value) && 'type' in value && value.type === 'keepOpen';
}

/** The answer as it goes over a channel. */
export function plainAnswer(answer: AllowApproval | DenyApproval | SignIn | ClientToolResult): PlainAnswer {
  return { ...answer };
}

function isMarked(value: unknown): value is object {
  return typeof value === 'object' && value !== null && mark in value;
}

/** The mark is not enumerable: copies and JSON are plain. */
function brand<T extends PlainAnswer | { type: 'keepOpen' }>(answer: T): Readonly<T> & { readonly [answerMark]: true } {
  Object.defineProperty(answer, mark, { value: true });
  return Object.freeze(answer) as Readonly<T> & { readonly [answerMark]: true };
}
