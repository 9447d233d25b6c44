import type { AnyEvent, AssistantEntry, SessionEvent, TokenUsage } from '@rondo/protocol';
import {
  applyEvent,
  createContextBuilder,
  emptySessionState,
  hydrateEvent,
  type ContextBuilder,
  type ModelMessage,
  type ReadBlob,
  type SessionState,
} from '@rondo/runtime';
import { isJsonObject, stringOf } from '../dialect/json.ts';

/** One attempt to ask the model, as a log has it. */
export interface RecordedExchange {
  readonly sessionId: string;
  readonly turnId: string;
  /** The folder the session was in. */
  readonly cwd: string;
  /** The model that was asked; a session may have several. */
  readonly model: string;
  /** What it was asked, built from the log as the runtime built it then. */
  readonly messages: readonly ModelMessage[];
  readonly outcome: RecordedOutcome;
}

export type RecordedOutcome =
  | {
      readonly type: 'replied';
      readonly entry: AssistantEntry;
      readonly stopReason: string;
      readonly usage: TokenUsage;
    }
  /** Somebody stopped it. What it had said by then is its entry. */
  | { readonly type: 'interrupted'; readonly entry?: AssistantEntry }
  /** `retried`: the turn asked again. */
  | {
      readonly type: 'failed';
      readonly retried: boolean;
      readonly code: string;
      readonly message: string;
      readonly status?: number;
      /** What of the request it was, where the model said so. */
      readonly reason?: string;
    };

interface OpenExchange extends Omit<RecordedExchange, 'outcome'> {
  readonly requestId: string;
  entry?: AssistantEntry;
}

interface SessionFold {
  readonly state: SessionState;
  readonly context: ContextBuilder;
  open?: OpenExchange;
}

/**
 * What a log says about its model: every request, rebuilt from the log's events before it, and what came of it. A
 * request that a crash left without an outcome was sent again, so it is left out.
 */
export async function recordedExchanges(
  events: AsyncIterable<AnyEvent>,
  readBlob: ReadBlob,
): Promise<RecordedExchange[]> {
  const exchanges: RecordedExchange[] = [];
  const sessions = new Map<string, SessionFold>();
  for await (const event of events) {
    const session = sessions.get(event.sessionId) ?? {
      state: emptySessionState(event.sessionId),
      context: createContextBuilder({ readBlob }),
    };
    sessions.set(event.sessionId, session);
    applyEvent(session.state, event);
    if (event.type === 'unknown') continue;
    if (event.type === 'model.requested') {
      session.open = await openExchange(session, event);
      continue;
    }
    const { open } = session;
    const outcome = open === undefined ? undefined : await outcomeOf(event, open, readBlob);
    if (open === undefined || outcome === undefined) continue;
    if (outcome !== 'crashed') {
      const { sessionId, turnId, cwd, model, messages } = open;
      exchanges.push({ sessionId, turnId, cwd, model, messages, outcome });
    }
    delete session.open;
  }
  return exchanges;
}

async function openExchange(
  { state, context }: SessionFold,
  { sessionId, turnId, requestId, model }: Extract<SessionEvent, { type: 'model.requested' }>,
): Promise<OpenExchange> {
  const { rejectedReasoning } = state;
  const { messages } = await context.build(state.conversation, { model, rejectedReasoning });
  const cwd = state.active?.binding.cwd ?? state.binding?.cwd ?? '';
  return { sessionId, turnId, requestId, cwd, model, messages };
}

/** What the event makes of the open request, if it settles it. */
async function outcomeOf(
  event: SessionEvent,
  open: OpenExchange,
  readBlob: ReadBlob,
): Promise<RecordedOutcome | 'crashed' | undefined> {
  switch (event.type) {
    case 'entry.completed': {
      const hydrated = await hydrateEvent(event, readBlob);
      if (hydrated.type !== 'entry.completed' || hydrated.entry.type !== 'assistant') return undefined;
      open.entry = hydrated.entry;
      return hydrated.entry.aborted === true ? { type: 'interrupted', entry: hydrated.entry } : undefined;
    }
    case 'model.completed':
      if (event.requestId !== open.requestId || open.entry === undefined) return undefined;
      return { type: 'replied', entry: open.entry, stopReason: event.stopReason, usage: event.usage };
    case 'entry.discarded':
      if (event.reason === 'interrupted') return { type: 'interrupted' };
      return event.reason === 'crashed' ? 'crashed' : undefined;
    case 'model.retried':
      return {
        type: 'failed',
        retried: true,
        code: event.error.code ?? 'model.server_error',
        message: event.error.message,
        ...(event.status !== null && { status: event.status }),
      };
    case 'notice':
      return rejectionOf(event);
    case 'turn.ended':
      return event.turnId === open.turnId ? outcomeOfTurn(event, open) : undefined;
    default:
      return undefined;
  }
}

/** The model did not take its reasoning back, and was asked again without it. */
function rejectionOf({ details }: Extract<SessionEvent, { type: 'notice' }>): RecordedOutcome | undefined {
  const { status, error } = details ?? {};
  if (status !== 'reasoning_rejected' || !isJsonObject(error)) return undefined;
  const { code, message } = error;
  return { type: 'failed', retried: true, code: stringOf(code), message: stringOf(message), reason: status };
}

function outcomeOfTurn({ record }: Extract<SessionEvent, { type: 'turn.ended' }>, open: OpenExchange): RecordedOutcome {
  if (record.type === 'failed') {
    const { code = 'model.server_error', message } = record.error;
    return { type: 'failed', retried: false, code, message };
  }
  return { type: 'interrupted', ...(open.entry && { entry: open.entry }) };
}
