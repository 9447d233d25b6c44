import type { AssistantEntry, JsonObject, RequestParts, SessionEvent, TokenUsage } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import { rejectedReasoningModel } from '../event/rejected-reasoning-notice.ts';
import type { Model, ModelPart, ModelPrice } from '../model/model.ts';
import type { RecordedEvents } from './recorded-events.ts';
import type { ReplayGates } from './replay-gates.ts';

/** How an attempt at a request ended, as the log tells. */
type Ending =
  | { readonly type: 'replied'; readonly entry: AssistantEntry }
  | { readonly type: 'failed'; readonly error: RondoError<string> }
  /** It was stopped, or its process died; what it had said by then. */
  | { readonly type: 'cut'; readonly said: readonly string[] };

interface Attempt {
  readonly added?: AssistantEntry;
  readonly ending: Ending;
  readonly usage?: TokenUsage;
  readonly costUsd?: number;
  readonly stopDetails?: JsonObject;
}

export interface RecordedModelOptions {
  readonly name: string;
  readonly recorded: RecordedEvents;
  readonly gates: ReplayGates;
  /** The model of the binding, where there is one: what it takes and what it costs. */
  readonly bound?: Model | undefined;
  readonly onAsked: (signal: AbortSignal) => void;
  /** Called when a reply is whole, before the turn takes it. */
  readonly onReply: () => void;
}

/** Answers each request as it was answered then, failures and all. */
export function createRecordedModel({ name, recorded, gates, bound, onAsked, onReply }: RecordedModelOptions): Model {
  const model: Model = {
    name,
    async *stream(_request, { signal }): AsyncGenerator<ModelPart, void> {
      onAsked(signal);
      const { added, ending, usage, stopDetails } = attemptAhead(recorded);
      if (added !== undefined) {
        const { providerMessageId } = added;
        yield {
          type: 'start',
          ...(providerMessageId === undefined ? {} : { providerMessageId }),
          ...(usage === undefined ? {} : { usage }),
        };
      }
      if (ending.type === 'failed') throw ending.error;
      if (ending.type === 'cut') {
        for (const [index, text] of ending.said.entries()) {
          yield { type: 'block-start', index, block: 'text' };
          yield { type: 'delta', index, text };
        }
        await gates.until(() => signal.aborted);
        throw signal.reason;
      }
      yield* partsOf(ending.entry);
      yield {
        type: 'end',
        stopReason: ending.entry.stopReason ?? 'end_turn',
        usage: usage ?? { inputTokens: 0, outputTokens: 0 },
        ...(stopDetails === undefined ? {} : { stopDetails }),
      };
      onReply();
    },
  };
  // They are other ones from request to request.
  return Object.defineProperties(model, {
    price: { get: () => bound?.price ?? priceFor(attemptAhead(recorded)) },
    input: { get: () => bound?.input ?? inputAhead(recorded) },
    thinksAdaptively: { get: () => partsAhead(recorded)?.thinking?.['type'] === 'adaptive' },
  });
}

function* partsOf({ content }: AssistantEntry): Generator<ModelPart, void> {
  for (const [index, block] of content.entries()) {
    if (block.type === 'tool_call') {
      const { toolCallId, name } = block;
      yield { type: 'block-start', index, block: 'tool_call', toolCallId, name };
      // A call that was cut off is marked so already; of any other the arguments were there.
      yield { type: 'delta', index, text: JSON.stringify(block.input) };
    } else {
      yield {
        type: 'block-start',
        index,
        block: block.type === 'text' || block.type === 'reasoning' ? block.type : 'opaque',
      };
    }
    yield { type: 'block-end', index, block };
  }
}

/** From just behind a `model.requested`. */
function attemptAhead(recorded: RecordedEvents): Attempt {
  let added: AssistantEntry | undefined;
  let ending: Ending | undefined;
  /** Hooks judged the reply: it was whole, and may have been dropped. */
  let isJudged = false;
  for (const event of recorded.ahead()) {
    if (event.type === 'model.requested') {
      if (added === undefined && ending === undefined) return { ending: { type: 'cut', said: [] } };
      break;
    }
    if (event.type === 'entry.added' && event.entry.type === 'assistant') added = event.entry;
    else if (event.type === 'entry.completed' && event.entry.type === 'assistant') ending = endingOf(event.entry);
    else if (event.type === 'hook.started' && event.event === 'postLlmCall') isJudged = true;
    else if (event.type === 'entry.discarded' && event.reason === 'interrupted' && !isJudged)
      ending = { type: 'cut', said: [] };
    else if (event.type === 'model.completed' || event.type === 'model.retried') {
      const { usage, costUsd } = event;
      const details = 'stopDetails' in event ? event.stopDetails : undefined;
      // It had come whole when the turn was stopped, and hooks were not told of it any more.
      const wasCut = ending?.type === 'cut' && ending.said.length === 0;
      const isWhole = event.type === 'model.completed' && event.stopReason !== 'aborted' && wasCut;
      if (isWhole) ending = undefined;
      if ((isJudged || isWhole) && added !== undefined && event.type === 'model.completed')
        ending ??= { type: 'replied', entry: { ...added, content: [], stopReason: event.stopReason } };
      ending ??= { type: 'failed', error: failureAhead(recorded) };
      return {
        ...(added === undefined ? {} : { added }),
        ending,
        ...(usage === undefined ? {} : { usage }),
        ...(costUsd === undefined ? {} : { costUsd }),
        ...(details === undefined ? {} : { stopDetails: details }),
      };
    } else if (endsAttempt(event)) {
      const isFailure = event.type === 'notice' || (event.type === 'turn.ended' && event.record.type === 'failed');
      if (isFailure) ending ??= { type: 'failed', error: failureAhead(recorded) };
      break;
    }
  }
  if (isJudged && added !== undefined) ending ??= { type: 'replied', entry: { ...added, content: [] } };
  return { ...(added === undefined ? {} : { added }), ending: ending ?? { type: 'cut', said: [] } };
}

function endsAttempt(event: SessionEvent): boolean {
  return event.type === 'turn.ended' || (event.type === 'notice' && rejectedReasoningModel(event) !== undefined);
}

function endingOf(entry: AssistantEntry): Ending {
  if (entry.aborted !== true) return { type: 'replied', entry };
  return { type: 'cut', said: entry.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])) };
}

/** What the next attempt failed with: what was said of the retry, of the reasoning, or at the turn's end. */
function failureAhead(recorded: RecordedEvents): RondoError<string> {
  for (const event of recorded.ahead()) {
    if (event.type === 'model.retried') {
      const { error, status } = event;
      const details = { ...(status === null ? {} : { status }), ...((error.data ?? {}) as JsonObject) };
      return new RondoError<string>(error.code ?? 'internal', error.message, { details, retryable: true });
    }
    if (event.type === 'notice' && rejectedReasoningModel(event) !== undefined) {
      const error = (event.details?.['error'] ?? {}) as { readonly message?: string };
      const details = { reason: 'reasoning_rejected' };
      return new RondoError<string>('model.request_invalid', error.message ?? '', { details, retryable: false });
    }
    if (event.type === 'turn.ended' && event.record.type === 'failed') {
      const { code = 'internal', message, data } = event.record.error;
      const details = (data ?? {}) as JsonObject;
      return new RondoError<string>(code, message, { details, retryable: false });
    }
  }
  return new RondoError<string>('internal', 'the log does not say how this request ended');
}

/** A price at which the attempt costs what it cost: its own is not in the log. */
function priceFor({ usage, costUsd }: Attempt): ModelPrice | undefined {
  if (usage === undefined || costUsd === undefined) return undefined;
  const { inputTokens, outputTokens, cacheReadInputTokens = 0, cacheCreationInputTokens = 0 } = usage;
  const tokens = inputTokens + outputTokens + cacheReadInputTokens + cacheCreationInputTokens;
  const rate = tokens === 0 ? 0 : (costUsd * 1_000_000) / tokens;
  return { input: rate, output: rate, cacheRead: rate, cacheWrite: rate, cacheWriteOneHour: rate };
}

function inputAhead(recorded: RecordedEvents): Model['input'] {
  return partsAhead(recorded)?.input as Model['input'];
}

function partsAhead(recorded: RecordedEvents): RequestParts | undefined {
  for (const event of recorded.ahead()) if (event.type === 'model.requested') return event.parts;
  return undefined;
}
