import type { JsonObject } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import type { Model, ModelMessage, ModelPart, ModelRequest } from '@rondo/runtime';
import { blockParts, replyBlock } from './block-parts.ts';
import { isErrorCode } from './check-step.ts';
import { createComparedPrefix } from './compared-prefix.ts';
import { compareRequest } from './compare-request.ts';
import { missingStep } from './missing-step.ts';
import { throwIfAborted } from './play-step.ts';
import type { RecordedExchange, RecordedOutcome } from './recorded-exchanges.ts';
import { countReplies, lastText, saidByUser, saidMessages } from './said-request.ts';
import { createScriptCursor } from './script-cursor.ts';
import type { MatchLevel } from './script-form.ts';
import { surroundings } from './surroundings.ts';
import { mapTexts, withFolder } from './variables.ts';

export interface ReplayModelOptions {
  /** `replay/` and the session's ID, or whatever else names it. */
  readonly name: string;
  /** What of a request has to be as it was; all of what the log has of it unless said. */
  readonly match?: MatchLevel;
  /** What counts as the same wherever it stands in a line; what the session says of its surroundings unless given. */
  readonly ignore?: readonly RegExp[];
  /** Whether attempts that failed and were made again fail again, or are passed over, as they are unless said. */
  readonly retries?: 'play' | 'skip';
  /** Whether `close` rejects when the session went on further; `ignore` unless said. */
  readonly unused?: 'ignore' | 'error';
  /** The folder of the session now; it counts as the one it had then. */
  readonly cwd?: string;
}

export interface ReplayModel extends Model {
  /** Every attempt that is played, in order. */
  readonly exchanges: readonly RecordedExchange[];
  /** Throws when a recorded request was not made, or another one was, also where a turn took it. */
  assertDone(): void;
  close(): Promise<void>;
}

/** A model that answers as it did in a recorded session, as long as it is asked the same. */
export function createReplayModel(all: readonly RecordedExchange[], options: ReplayModelOptions): ReplayModel {
  const {
    name,
    match = 'all',
    ignore = [new RegExp(surroundings, 'gmu')],
    retries = 'skip',
    unused = 'ignore',
    cwd,
  } = options;
  const exchanges = all.filter(({ outcome }) => retries === 'play' || outcome.type !== 'failed' || !outcome.retried);
  const cursor = createScriptCursor(
    exchanges.map(({ sessionId, outcome, messages }, index) => ({
      conversation: sessionId,
      answers: outcome.type !== 'failed' && outcome.entry !== undefined,
      ...(isFirst(exchanges, index) && { repliesBefore: countReplies({ messages }) }),
    })),
    'conversation',
  );
  const compared = createComparedPrefix();
  const failures: string[] = [];
  const place = (index: number): string => `request ${index + 1} of ${exchanges.length} of ${name}`;

  async function nextExchange(request: ModelRequest): Promise<RecordedExchange> {
    const index = cursor.next({
      session: request.sessionId,
      replies: countReplies(request),
      fits: (first) => sameBeginning(exchanges[first]?.messages, request.messages),
    });
    const exchange = index === undefined ? undefined : exchanges[index];
    if (index === undefined || exchange === undefined)
      throw await missingStep(
        `${name} has no answer to this request: ${exchanges.length} requests were recorded`,
        request,
      );
    const from = compared.length(exchange.messages, request);
    const messages = asAskedNow(exchange, { from, cwd });
    await compareRequest({ messages }, request, { place: place(index), match, ignore, from });
    compared.keep(exchange.messages, request);
    return exchange;
  }

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart, void> {
    throwIfAborted(signal);
    const exchange = await nextExchange(request).catch((error: unknown) => {
      failures.push(error instanceof Error ? error.message : String(error));
      throw error;
    });
    for (const part of outcomeParts(exchange.outcome, name)) {
      yield part;
      throwIfAborted(signal);
    }
  }

  function unusedProblem(): string | undefined {
    const [first, ...rest] = cursor.unused();
    if (first === undefined) return undefined;
    const asked = `${rest.length + 1} recorded ${rest.length === 0 ? 'request was' : 'requests were'} not made`;
    return `${asked}; the first is ${place(first)}, in turn ${exchanges[first]?.turnId}`;
  }

  return {
    name,
    exchanges,
    stream: (request, { signal }) => stream(request, signal),
    assertDone() {
      const left = unusedProblem();
      const problems = left === undefined ? failures : [...failures, left];
      if (problems.length > 0) throw new RondoError('model.request_invalid', problems.join('\n'));
    },
    async close() {
      const left = unused === 'error' ? unusedProblem() : undefined;
      if (left !== undefined) throw new RondoError('model.request_invalid', `${left}.`);
    },
  };
}

function isFirst(exchanges: readonly RecordedExchange[], index: number): boolean {
  return exchanges.findIndex(({ sessionId }) => sessionId === exchanges[index]?.sessionId) === index;
}

/** The recorded request from a message on, with this session's folder and ID in the place of those it had. */
function asAskedNow(
  { messages, cwd: before, sessionId }: RecordedExchange,
  { from, cwd }: { readonly from: number; readonly cwd: string | undefined },
): JsonObject[] {
  const said = saidMessages({ messages }, from);
  return mapTexts(said, (text) => {
    const moved = cwd === undefined ? text : withFolder(text, before, cwd);
    return moved.replaceAll(sessionId, () => '${session-id}');
  });
}

function* outcomeParts(outcome: RecordedOutcome, model: string): Generator<ModelPart, void> {
  if (outcome.type === 'failed') {
    const { code, message, status, reason } = outcome;
    throw new RondoError(isErrorCode(code) ? code : 'model.server_error', message, {
      details: { ...(status !== undefined && { status }), ...(reason !== undefined && { reason }) },
    });
  }
  if (outcome.entry === undefined)
    throw new RondoError(
      'model.request_invalid',
      'In the recorded session somebody stopped the reply here, before it said anything.',
    );
  const { content, providerMessageId } = outcome.entry;
  yield { type: 'start', model, ...(providerMessageId !== undefined && { providerMessageId }) };
  for (const [index, block] of content.entries()) yield* blockParts(replyBlock(block), index);
  if (outcome.type === 'interrupted')
    yield { type: 'end', stopReason: 'end_turn', usage: { inputTokens: 0, outputTokens: 0 } };
  else yield { type: 'end', stopReason: outcome.stopReason, usage: outcome.usage };
}

function sameBeginning(recorded: readonly ModelMessage[] = [], asked: readonly ModelMessage[]): boolean {
  const [before, now] = [recorded, asked].map((messages) => lastText(saidByUser({ messages }, 0)));
  return before === now;
}
