import type { RondoError } from '@rondo/protocol/values';
import type { Model } from './model.ts';

/** A failure of the model that a turn asks, and how it stands with it. */
export interface ModelFailure {
  readonly error: RondoError<string>;
  /** Attempts in a row that failed so that the model counts as unreachable, this one included. */
  readonly unreachable: number;
  /** No further attempt is made at this model. */
  readonly isLast: boolean;
}

/** A model that takes over, for the rest of a turn, where the turn's own cannot be reached. */
export interface FallbackModel {
  /** Its resolved name, `provider/model`. */
  readonly name: string;
  readonly takesOver: (failure: ModelFailure) => boolean;
  /** The same model each time. Rejects where it cannot be used; the turn then stays with its own. */
  load(): Promise<Model>;
}

/** Attempts in a row that find the model overloaded, broken or out of reach, after which the other one is asked. */
export const UNREACHABLE_ATTEMPTS = 3;

const unreachable: ReadonlySet<string> = new Set([
  'model.overloaded',
  'model.server_error',
  'model.connection_failed',
  'model.timeout',
  'model.stream_broken',
]);

/** Whether a failure says that nobody is there who could answer. */
export function isUnreachable({ code }: RondoError<string>): boolean {
  return unreachable.has(code);
}

/**
 * After three such failures, or at the last one that the policy allows; also where the provider has no such model. A
 * failure that another model would not help with, such as a wrong key or a prompt that is too long, stays what it is.
 */
export function takesOver({ error, unreachable: failures, isLast }: ModelFailure): boolean {
  if (error.code === 'model.not_found') return true;
  return failures >= UNREACHABLE_ATTEMPTS || (isLast && (error.retryable || isUnreachable(error)));
}
