import type { JsonObject } from '../json/json-value.ts';
import { errorCodes, type ErrorCode } from './error-codes.ts';

const mark = Symbol.for('rondo.error.v0');

export interface RondoErrorOptions {
  /** Facts for a program: ids, status codes, limits. JSON, because it crosses the wire. */
  readonly details?: JsonObject;
  readonly cause?: unknown;
  /** Overrides the table's answer where the caller knows better, e.g. a 500 that says it is final. */
  readonly retryable?: boolean;
}

/** What an error is on the wire. */
export interface RondoErrorJson {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly details?: JsonObject;
}

/**
 * The one error class. `code` says what happened and comes from one table, `message` is for a person and says the way
 * on, `retryable` says whether the same call may succeed later. Recognise it with {@link isRondoError}, which also
 * works across duplicate copies of this package.
 */
export class RondoError<Code extends string = ErrorCode> extends Error {
  readonly code: Code;
  readonly retryable: boolean;
  readonly details: JsonObject;

  constructor(code: Code, message: string, options: RondoErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'RondoError';
    this.code = code;
    this.retryable = options.retryable ?? isRetryableCode(code);
    this.details = options.details ?? {};
    Object.defineProperty(this, mark, { value: true });
  }

  toJSON(): RondoErrorJson {
    return { code: this.code, message: this.message, retryable: this.retryable, details: this.details };
  }

  /** The error as it was before it crossed a wire; a code this version does not know is kept as it came. */
  static fromJSON(json: RondoErrorJson): RondoError<string> {
    return new RondoError(json.code, json.message, { retryable: json.retryable, details: json.details ?? {} });
  }
}

/** True for a Rondo error of any copy of this package, and of that code where one is given. */
export function isRondoError<Code extends ErrorCode = ErrorCode>(
  error: unknown,
  code?: Code,
): error is RondoError<Code> {
  if (typeof error !== 'object' || error === null || !(mark in error)) return false;
  return code === undefined || (error as unknown as RondoError).code === code;
}

function isRetryableCode(code: string): boolean {
  return (errorCodes as Record<string, { retryable: boolean } | undefined>)[code]?.retryable ?? false;
}
