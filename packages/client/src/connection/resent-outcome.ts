import type { JsonValue, MethodName, MethodParams, MethodResult } from '@rondo/protocol';
import { isRondoError, RondoError } from '@rondo/protocol/values';
import { whenLost } from './when-lost.ts';

export type Outcome = { readonly result: unknown } | { readonly error: unknown };

export interface ResentRequest {
  readonly method: MethodName;
  readonly params: unknown;
  /** The session it makes, where its ID came from here. */
  readonly ownSessionId: string | undefined;
}

type Ask = (method: MethodName, params: { readonly [name: string]: JsonValue }) => Promise<unknown>;

/**
 * What the answer to a request means that was sent before. Some hosts' answers say "too late" to what was done the first
 * time; `again` says that it turns out not to have been.
 */
export async function outcomeOfResent(request: ResentRequest, outcome: Outcome, ask: Ask): Promise<Outcome | 'again'> {
  try {
    if ('error' in outcome) {
      if (whenLost[request.method] !== 'named' || !isRondoError(outcome.error, 'session.exists')) return outcome;
      return await outcomeOfNamed(request, outcome.error, ask);
    }
    if (request.method !== 'turn/interrupt') return outcome;
    return await outcomeOfInterrupt(request, outcome.result as MethodResult<'turn/interrupt'>, ask);
  } catch (error) {
    return { error };
  }
}

/** The session may be at its beginning still, and fail: reading it waits until it is stored. */
async function outcomeOfNamed(
  { method, ownSessionId }: ResentRequest,
  exists: RondoError,
  ask: Ask,
): Promise<Outcome | 'again'> {
  if (ownSessionId === undefined) {
    return {
      error: new RondoError(
        'operation.outcome_unknown',
        `the connection was lost before ${method} was answered, and now the session exists: ` +
          'whether it did before cannot be told. Read it to see',
        { details: { method, ...exists.details }, cause: exists },
      ),
    };
  }
  try {
    await ask('session/read', { sessionId: ownSessionId });
  } catch (error) {
    if (isRondoError(error, 'session.not_found')) return 'again';
    throw error;
  }
  return { result: { sessionId: ownSessionId } };
}

/** A turn that has ended takes no interrupt; this one may have ended by it. */
async function outcomeOfInterrupt(
  { params }: ResentRequest,
  result: MethodResult<'turn/interrupt'>,
  ask: Ask,
): Promise<Outcome> {
  if (result.type !== 'conflict') return { result };
  const { sessionId, turnId } = params as MethodParams<'turn/interrupt'>;
  const record = (await ask('turn/read', { sessionId, turnId })) as MethodResult<'turn/read'>;
  const wasDone = record.type === 'interrupted' && record.cause === 'interrupted';
  return { result: wasDone ? { type: 'accepted', turnId } : result };
}
