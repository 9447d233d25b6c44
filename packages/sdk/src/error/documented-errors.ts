import { isRondoError, RondoError, type ErrorCode, type RondoErrorOptions } from '@rondo/protocol/values';

/**
 * A documented name for an error code, for callers who catch by class: `error instanceof SessionBusyError` is true for
 * every Rondo error of that code, also one of another copy of the package or from the other side of a wire.
 */
class CodedError<Code extends ErrorCode> extends RondoError<Code> {
  static readonly code: ErrorCode;

  constructor(message: string, options: RondoErrorOptions = {}) {
    super(new.target.code as Code, message, options);
    this.name = new.target.name;
  }

  static override [Symbol.hasInstance](this: { readonly code: ErrorCode }, value: unknown): boolean {
    return isRondoError(value, this.code);
  }
}

/** The caller stopped the operation. */
export class AbortError extends CodedError<'operation.aborted'> {
  static override readonly code = 'operation.aborted';

  constructor(message = 'the operation was aborted', options: RondoErrorOptions = {}) {
    super(message, options);
  }
}

/** The session cannot take the message now; nothing was applied. */
export class SessionBusyError extends CodedError<'session.busy'> {
  static override readonly code = 'session.busy';
}

/** There is no such session. */
export class SessionNotFoundError extends CodedError<'session.not_found'> {
  static override readonly code = 'session.not_found';
}

/** Another process holds the session. */
export class SessionInUseError extends CodedError<'session.in_use'> {
  static override readonly code = 'session.in_use';
}

/** The session was started by another agent, or with tools that are missing here. */
export class SessionConfigMismatchError extends CodedError<'session.config_mismatch'> {
  static override readonly code = 'session.config_mismatch';
}

/** The session has ended and takes no more messages. */
export class SessionTerminatedError extends CodedError<'session.terminated'> {
  static override readonly code = 'session.terminated';
}

/** The key was used for something else. */
export class SessionIdempotencyConflictError extends CodedError<'session.idempotency_conflict'> {
  static override readonly code = 'session.idempotency_conflict';
}

/** The session has no such turn. */
export class TurnNotFoundError extends CodedError<'turn.not_found'> {
  static override readonly code = 'turn.not_found';
}

/** The cursor is of another session, or never was one. */
export class InvalidCursorError extends CodedError<'cursor.invalid'> {
  static override readonly code = 'cursor.invalid';
}

/** Events cannot be read further; the turn goes on, and `details.cursor` says from where to read again. */
export class ObservationLost extends CodedError<'observation.lost'> {
  static override readonly code = 'observation.lost';
}

/** Nobody knows whether what was asked took effect: the connection was lost before the answer came. Look before repeating it. */
export class OutcomeUnknownError extends CodedError<'operation.outcome_unknown'> {
  static override readonly code = 'operation.outcome_unknown';
}

/** The procedure is not for a subagent. */
export class UnsupportedSessionProcedureError extends CodedError<'session.procedure_unsupported'> {
  static override readonly code = 'session.procedure_unsupported';
}

/** A client tool's call was answered by its handler, and the answer could not be sent; the call stays open. */
export class ClientToolAnswerError extends CodedError<'answer.unsent'> {
  static override readonly code = 'answer.unsent';
}

/** What every failure of a call is, whatever its code. A wrong argument is a `TypeError` instead. */
export class AgentsError extends RondoError {
  static override [Symbol.hasInstance](value: unknown): boolean {
    return isRondoError(value);
  }
}

const refusedCodes: readonly string[] = ['answer.unfit', 'input.invalid', 'binding.not_found'];

/** A call that was refused as it was made, with nothing sent or applied. */
export class SdkError extends RondoError {
  static override [Symbol.hasInstance](value: unknown): boolean {
    return isRondoError(value) && refusedCodes.includes(value.code);
  }
}
