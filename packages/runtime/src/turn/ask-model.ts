import type { AssistantEntry, JsonObject, ModelBlock, TokenUsage } from '@rondo/protocol';
import { isRondoError, RondoError } from '@rondo/protocol/values';
import type { EventDraft } from '../event/event-draft.ts';
import { createTextRedactor, secretValues, type TextRedactor } from '../event/text-redactor.ts';
import { hooksAt } from '../hook/loop-hook.ts';
import { isUnreachable } from '../model/fallback-model.ts';
import type { Model, ModelPart, ModelRequest } from '../model/model.ts';
import { modelCost } from '../model/model-cost.ts';
import { defaultRetryPolicy, isCapacityError, retryDelay, type RetryPolicy } from '../model/retry-policy.ts';
import { markCutOffCall } from './cut-off-call.ts';
import type { DisplayedMessage } from './event-display-hooks.ts';
import { eventPoints } from './event-points.ts';
import { modelInUse, nextModel } from './model-in-use.ts';
import { withinAbort } from './within-abort.ts';
import { modelRequest, type AskedRequest } from './model-request.ts';
import { tellTaskBudget } from './tell-task-budget.ts';
import { requestDigest } from './request-digest.ts';
import { holdsReasoning, isReasoningRejected, rejectedReasoningFact } from './rejected-reasoning.ts';
import type { OpenReply, TurnParts } from './turn-parts.ts';

export type ModelReply =
  | {
      readonly type: 'replied';
      readonly entry: AssistantEntry;
      readonly stopReason: string;
      /** The reply's own facts, not stored yet: they go with what follows from them. */
      readonly facts: readonly EventDraft[];
      /** What is stored in their place where the reply is dropped: that it is, and what it used. */
      readonly dropped: (reason: string) => readonly EventDraft[];
      readonly usage: TokenUsage;
      readonly stopDetails?: JsonObject;
      readonly costUsd: number;
    }
  | { readonly type: 'failed'; readonly error: RondoError<string> }
  | { readonly type: 'aborted' };

/** One attempt's progress, so that a failure knows what was shown. */
interface Attempt {
  readonly entryId: string;
  readonly requestId: string;
  readonly model: Model;
  readonly toolName: AskedRequest['toolName'];
  readonly startedAt: number;
  readonly blocks: ModelBlock[];
  added: boolean;
  reply?: OpenReply;
  /** Where hooks follow what is shown. */
  displayed?: DisplayedMessage | undefined;
  /** One for each block of the reply. */
  readonly redactors: TextRedactor[];
  providerMessageId?: string;
  firstPartAt?: number;
  usage: TokenUsage;
  end?: { readonly stopReason: string; readonly stopDetails?: JsonObject };
}

/**
 * Asks the model, again while that can help. Each retry is an event; what a failed attempt had shown is discarded by
 * event before the next one begins. A model that does not take its own reasoning back, as happens after a change of
 * account, is asked once more without it, at once and whatever the policy. Where the turn's model cannot be reached and
 * there is another one to ask, that one is, with as many tries of its own.
 */
export async function askModel(turn: TurnParts): Promise<ModelReply> {
  const requestId = turn.newId();
  let model = await modelInUse(turn);
  tellTaskBudget(turn, model);
  let asked = await modelRequest(turn, model);
  let wasRejected = false;
  let unreachable = 0;
  const takeover = { isOut: false };
  for (let retries = 0; ; ) {
    const attempt = beginAttempt(turn, { requestId, model, asked });
    const { request } = asked;
    try {
      await withinAbort(turn.signal, (signal) => readReply(turn, attempt, request, signal));
      return replied(turn, attempt);
    } catch (thrown) {
      turn.openReply(undefined);
      if (turn.signal.aborted) {
        turn.emit(abortedFacts(turn, attempt));
        return { type: 'aborted' };
      }
      const error = modelFailure(thrown);
      const discarded = discardedFacts(turn, attempt, 'stream_retried');
      if (!wasRejected && isReasoningRejected(error) && holdsReasoning(request, model.name)) {
        wasRejected = true;
        turn.emit([...discarded, rejectedReasoningFact(turn, model.name, error)]);
        asked = await modelRequest(turn, model);
        continue;
      }
      unreachable = isUnreachable(error) ? unreachable + 1 : 0;
      const policy = { ...defaultRetryPolicy, ...turn.binding.retry };
      const isLast = isLastTry(policy, error, retries);
      const next = await nextModel(turn, model, { error, unreachable, isLast }, takeover);
      if (isLast && next === undefined) {
        const facts = hasUsed(attempt) ? [...discarded, completedFact(turn, attempt, 'failed')] : discarded;
        if (facts.length > 0) turn.emit(facts);
        return { type: 'failed', error };
      }
      retries += 1;
      const delayMs =
        next === undefined ? retryDelay(policy, retries, numberDetail(error, 'retryAfterMs'), turn.random) : 0;
      turn.emit([
        ...discarded,
        {
          type: 'model.retried',
          turnId: turn.turnId,
          requestId,
          attempt: retries,
          // Where it waits for capacity there are as many tries as that takes.
          maxRetries: Math.max(policy.maxRetries, next === undefined ? retries : 0),
          delayMs,
          status: numberDetail(error, 'status') ?? null,
          error: { code: error.code, message: error.message, ...limitOf(error) },
          ...(hasUsed(attempt) ? usedBy(attempt) : {}),
          ...(next === undefined ? {} : { model: model.name, fallbackModel: next.name }),
        },
      ]);
      if (next !== undefined) {
        model = next;
        asked = await modelRequest(turn, model);
        wasRejected = false;
        retries = 0;
        unreachable = 0;
        continue;
      }
      try {
        await turn.clock.sleep(delayMs, { signal: turn.signal });
      } catch {
        return { type: 'aborted' };
      }
    }
  }
}

/** When a limit that was met is whole again, where the provider said so. */
function limitOf(error: RondoError<string>): { readonly data?: JsonObject } {
  const retryAfterMs = error.code === 'model.rate_limited' ? numberDetail(error, 'retryAfterMs') : undefined;
  return retryAfterMs === undefined ? {} : { data: { retryAfterMs } };
}

/** Whether the policy allows no further try at the model that failed so. */
function isLastTry(policy: RetryPolicy, error: RondoError<string>, retries: number): boolean {
  if (policy.waitsForCapacity === true && isCapacityError(error)) return false;
  const isTooLong = (numberDetail(error, 'retryAfterMs') ?? 0) > policy.maxRetryAfterMs;
  return !error.retryable || isTooLong || retries >= policy.maxRetries;
}

interface AttemptParts {
  readonly requestId: string;
  readonly model: Model;
  readonly asked: AskedRequest;
}

function beginAttempt(turn: TurnParts, { requestId, model, asked }: AttemptParts): Attempt {
  const { request, toolName } = asked;
  turn.emit([
    {
      type: 'model.requested',
      turnId: turn.turnId,
      requestId,
      model: model.name,
      messages: request.messages.length,
      ...requestDigest(turn, model, request),
    },
  ]);
  return {
    entryId: turn.newId(),
    requestId,
    model,
    toolName,
    startedAt: turn.clock.now(),
    blocks: [],
    redactors: [],
    added: false,
    usage: { inputTokens: 0, outputTokens: 0 },
  };
}

async function readReply(turn: TurnParts, attempt: Attempt, request: ModelRequest, signal: AbortSignal): Promise<void> {
  const parts = attempt.model.stream(request, { signal });
  for await (const part of parts) {
    for (let next: ModelPart | undefined = part; next !== undefined; next = parts.takeWaiting?.()) {
      if (signal.aborted) throw signal.reason;
      takePart(turn, attempt, next);
    }
  }
  if (attempt.end === undefined) {
    throw new RondoError('model.stream_broken', 'the reply of the model ended before it was complete');
  }
}

function takePart(turn: TurnParts, attempt: Attempt, part: ModelPart): void {
  switch (part.type) {
    case 'delta':
      takeDelta(turn, attempt, part.index, part.text);
      return;
    case 'start':
      attempt.firstPartAt = turn.clock.now();
      if (part.providerMessageId !== undefined) attempt.providerMessageId = part.providerMessageId;
      if (part.usage !== undefined) attempt.usage = part.usage;
      addEntry(turn, attempt);
      return;
    case 'block-start':
      addEntry(turn, attempt);
      attempt.reply?.blocks.push({
        kind: part.block,
        text: '',
        ...(part.block === 'tool_call' ? { toolCallId: part.toolCallId, name: attempt.toolName(part.name) } : {}),
      });
      attempt.redactors.push(createTextRedactor(secretsOf(turn, attempt)));
      showDelta(turn, attempt, part.index, '');
      return;
    case 'block-end':
      showRest(turn, attempt, part.index);
      attempt.blocks.push(named(part.block, attempt.toolName));
      return;
    case 'end':
      attempt.end = part.stopDetails === undefined ? { stopReason: part.stopReason } : part;
      attempt.usage = part.usage;
      return;
  }
}

/** The block under its tool's own name. */
function named(block: ModelBlock, toolName: AskedRequest['toolName']): ModelBlock {
  if (block.type !== 'tool_call') return block;
  const name = toolName(block.name);
  return name === block.name ? block : { ...block, name };
}

function addEntry(turn: TurnParts, attempt: Attempt): void {
  if (attempt.added) return;
  attempt.added = true;
  attempt.reply = { entryId: attempt.entryId, blocks: [] };
  turn.openReply(attempt.reply);
  attempt.displayed = eventPoints(turn)?.displayedMessage(turn, attempt.providerMessageId ?? attempt.entryId);
  turn.emit([{ type: 'entry.added', turnId: turn.turnId, entry: entryOf(attempt, []) }]);
}

function secretsOf({ binding }: TurnParts, { model }: Attempt): readonly string[] {
  return secretValues([...(binding.secrets ?? []), ...(binding.model.secrets ?? []), ...(model.secrets ?? [])]);
}

function takeDelta(turn: TurnParts, attempt: Attempt, index: number, text: string): void {
  const shown = attempt.redactors[index]?.push(text) ?? text;
  if (shown !== '') showDelta(turn, attempt, index, shown);
}

/** What looked like the beginning of a secret until its block ended. */
function showRest(turn: TurnParts, attempt: Attempt, index: number): void {
  const rest = attempt.redactors[index]?.end() ?? '';
  if (rest !== '') showDelta(turn, attempt, index, rest);
}

function showDelta(turn: TurnParts, attempt: Attempt, index: number, text: string): void {
  const block = attempt.reply?.blocks[index];
  if (block === undefined || block.kind === 'opaque') return;
  const offset = block.text.length;
  block.text += text;
  if (block.kind === 'text' && text !== '') attempt.displayed?.show(text);
  if (!turn.shows(deltaTypes[block.kind])) return;
  turn.show(() => {
    const piece = {
      sessionId: turn.sessionId,
      turnId: turn.turnId,
      after: turn.state.cursor,
      entryId: attempt.entryId,
      block: index,
      offset,
      text,
    };
    if (block.kind !== 'tool_call') return { type: block.kind === 'text' ? 'text.delta' : 'reasoning.delta', ...piece };
    return { type: 'tool_input.delta', ...piece, toolCallId: block.toolCallId ?? '', name: block.name ?? '' };
  });
}

const deltaTypes = { text: 'text.delta', reasoning: 'reasoning.delta', tool_call: 'tool_input.delta' } as const;

function replied(turn: TurnParts, attempt: Attempt): ModelReply {
  turn.openReply(undefined);
  attempt.displayed?.end();
  const stopReason = attempt.end?.stopReason ?? 'end_turn';
  const content = markCutOffCall(attempt.blocks, stopReason, attempt.reply?.blocks.at(-1)?.text ?? '');
  const entry = { ...entryOf(attempt, content), stopReason };
  const stopDetails = attempt.end?.stopDetails;
  const details = stopDetails === undefined ? {} : { stopDetails };
  const completed = { ...completedFact(turn, attempt, stopReason), ...details };
  const added: EventDraft[] = attempt.added
    ? []
    : [{ type: 'entry.added', turnId: turn.turnId, entry: entryOf(attempt, []) }];
  return {
    type: 'replied',
    entry,
    stopReason,
    facts: [...added, { type: 'entry.completed', turnId: turn.turnId, entry }, completed],
    dropped: (reason) => [...discardedFacts(turn, attempt, reason), completed],
    usage: attempt.usage,
    ...details,
    costUsd: completed.costUsd ?? 0,
  };
}

/** What an interrupt leaves of a reply: its whole text, or nothing. */
function abortedFacts(turn: TurnParts, attempt: Attempt): EventDraft[] {
  if (!attempt.added) return [];
  const used = hasUsed(attempt) ? [completedFact(turn, attempt, 'aborted')] : [];
  const content: ModelBlock[] = [];
  // Hooks that judge replies have not judged half of one.
  const isJudged = hooksAt(turn.binding, 'postLlmCall').length > 0;
  for (const block of isJudged ? [] : (attempt.reply?.blocks ?? [])) {
    if (block.kind === 'text' && block.text.trim() !== '') content.push({ type: 'text', text: block.text });
  }
  if (content.length === 0) return [...discardedFacts(turn, attempt, 'interrupted'), ...used];
  const entry: AssistantEntry = { ...entryOf(attempt, content), aborted: true };
  return [{ type: 'entry.completed', turnId: turn.turnId, entry }, ...used];
}

function discardedFacts(turn: TurnParts, attempt: Attempt, reason: string): EventDraft[] {
  return attempt.added ? [{ type: 'entry.discarded', turnId: turn.turnId, entryId: attempt.entryId, reason }] : [];
}

function hasUsed({ usage }: Attempt): boolean {
  return usage.inputTokens > 0 || usage.outputTokens > 0;
}

/** What an attempt is billed for. */
function usedBy({ model, usage }: Attempt) {
  const costUsd = modelCost(usage, model.price);
  return {
    model: model.name,
    usage,
    ...(costUsd === undefined ? {} : { costUsd }),
  };
}

function completedFact(turn: TurnParts, attempt: Attempt, stopReason: string) {
  return {
    type: 'model.completed',
    turnId: turn.turnId,
    requestId: attempt.requestId,
    entryId: attempt.entryId,
    stopReason,
    ...usedBy(attempt),
    durationMs: turn.clock.now() - attempt.startedAt,
    ...(attempt.firstPartAt === undefined ? {} : { timeToFirstTokenMs: attempt.firstPartAt - attempt.startedAt }),
  } as const satisfies EventDraft;
}

function entryOf(attempt: Attempt, content: ModelBlock[]): AssistantEntry {
  return {
    type: 'assistant',
    id: attempt.entryId,
    content,
    model: attempt.model.name,
    ...(attempt.providerMessageId === undefined ? {} : { providerMessageId: attempt.providerMessageId }),
  };
}

/** A model's failure as the taxonomy knows it; anything else a model throws is a bug in it, and no retry helps. */
function modelFailure(thrown: unknown): RondoError<string> {
  if (isRondoError(thrown)) return thrown as unknown as RondoError<string>;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new RondoError<string>('internal', `the model failed in a way it does not document: ${message}`, {
    cause: thrown,
  });
}

function numberDetail(error: RondoError<string>, name: string): number | undefined {
  const value = error.details[name];
  return typeof value === 'number' ? value : undefined;
}
