import type {
  AllowAnswer,
  CallbackAnswer,
  DenyAnswer,
  PermissionUpdate,
  SignInAnswer,
  JsonObject,
} from '@rondo/protocol';
import { copyJsonObject } from '../content/copy-json.ts';

const mark = Symbol.for('rondo.answer.v0');

/** Lets a call run. Made by {@link allowApproval}. */
export type AllowApproval = Readonly<AllowAnswer> & { readonly [answerMark]: true };
/** Refuses a call. Made by {@link denyApproval}. */
export type DenyApproval = Readonly<DenyAnswer> & { readonly [answerMark]: true };
/** Says which sources were connected. Made by {@link signInAnswer}. */
export type SignIn = Readonly<SignInAnswer> & { readonly [answerMark]: true };

/** An answer that someone meant: a boolean or an object that merely looks like one is refused. */
export type Answer = AllowApproval | DenyApproval | SignIn;

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

export function isAnswer(value: unknown): value is Answer {
  return typeof value === 'object' && value !== null && mark in value;
}

/** The answer as it goes over a channel. */
export function plainAnswer(answer: Answer): CallbackAnswer {
  return { ...answer };
}

/** The mark is not enumerable: copies and JSON are plain. */
function brand<T extends CallbackAnswer>(answer: T): Readonly<T> & { readonly [answerMark]: true } {
  Object.defineProperty(answer, mark, { value: true });
  return Object.freeze(answer) as Readonly<T> & { readonly [answerMark]: true };
}
