import { randomUUID } from 'node:crypto';
import type { Busy, Queued, Turn } from '@rondo/client';
import type { SDKMessage, SDKResultMessage, SDKUserMessage, StreamEvent, TurnInputBlock } from '@rondo/protocol';
import { isRondoError, isUuid, RondoError } from '@rondo/protocol/values';
import { AbortError } from '../error/documented-errors.ts';
import { errorOfResult } from './error-of-result.ts';
import { createCommandLifecycle, type CommandLifecycle } from '../message/command-lifecycle.ts';
import { readMessageOrigin, readUserMessage } from '../message/read-user-message.ts';
import type { Options } from '../options/options.ts';
import { createAwaitedSuggestion } from './awaited-suggestion.ts';
import { createLineQueue } from './line-queue.ts';
import { noteFor } from './note-for.ts';
import { methodsUntil } from './methods-until.ts';
import type { OpenRun, OpenRunOptions } from './opened-run.ts';
import { createOutstandingWork, type OutstandingWork } from './outstanding-work.ts';
import type { InterruptOptions, InterruptReceipt, QueryMethods } from './query-methods.ts';
import { takeUntil } from './take-until.ts';
import { remainingLimits } from './remaining-limits.ts';
import { unstartedResult } from './unstarted-result.ts';

/** A session at work for one `query()`: what is said goes in, the lines of what comes of it come out. */
export interface Run {
  /** The next line, or undefined when all work is done and everything that was held is given back. */
  next(): Promise<SDKMessage | undefined>;
  readonly methods: QueryMethods;
  /**
   * Stops everything and gives everything back; lines that were not read are dropped. `leave` does not end the turn at
   * work: it stays unfinished, with its questions open, for whoever goes on with the session.
   */
  stop(error?: unknown, how?: 'interrupt' | 'leave'): Promise<void>;
}

/** A run that is open, and what it waits for. */
interface Working extends OpenRun {
  readonly work: OutstandingWork;
  /** Tells how far messages have come, where that was asked for. */
  readonly lifecycle?: CommandLifecycle;
  /** US dollars that the session had cost before. */
  readonly spentBefore: number;
}

/** Where a session is at work: how it is opened, and what steers it there. */
export interface RunPlace<Opened extends OpenRun> {
  open(how: OpenRunOptions): Promise<Opened>;
  methods(run: RunningMethods<Opened>): QueryMethods;
}

/** What a run can do by itself, for the methods of its query. */
export interface RunningMethods<Opened extends OpenRun> {
  readonly opening: Promise<Opened>;
  readonly interrupt: QueryMethods['interrupt'];
  readonly say: QueryMethods['streamInput'];
}

/** Begins at once; nobody has to read for it to go on. What goes wrong comes out of `next()`. */
export function startRun<Opened extends OpenRun>(
  prompt: string | AsyncIterable<SDKUserMessage>,
  options: Options,
  place: RunPlace<Opened>,
): Run {
  const lines = createLineQueue<SDKMessage>();
  const note = noteFor(options);
  const inputEnd = Promise.withResolvers<void>();
  /** Nothing more comes of the query. */
  const ended = Promise.withResolvers<void>();
  const { signal } = options.abortController ?? {};
  /** Aborts when the run is stopped: what its opening waits for is given up. */
  const unwanted = new AbortController();
  let inputs = 1;
  const suggestion = createAwaitedSuggestion(options.promptSuggestions === true);
  /** The turn of the last message that was sent. */
  let sending: Promise<Turn | undefined> = Promise.resolve(undefined);
  /** Nothing more is said or shown; turns that are at work or begin are told to stop. */
  let windingDown = false;
  let failure: unknown;
  /** The last result that was shown. */
  let lastResult: SDKResultMessage | undefined;
  let stopping: Promise<void> | undefined;

  const opened = place.open({ streaming: typeof prompt !== 'string', note, signal: unwanted.signal });
  const opening = openWorking();
  const finished = finish();
  const onAbort = (): void => void stop(new AbortError('the query was aborted', { cause: signal?.reason }));
  if (signal?.aborted === true) onAbort();
  else signal?.addEventListener('abort', onAbort, { once: true });

  async function openWorking(): Promise<Working> {
    const run = await opened;
    const spentBefore = run.projection.state.totalCostUsd;
    const lifecycle = options.commandLifecycle === true ? createCommandLifecycle(run.session.id) : undefined;
    return {
      ...run,
      spentBefore,
      work: createOutstandingWork(run.openTurnId),
      ...(lifecycle === undefined ? {} : { lifecycle }),
    };
  }

  /** The whole of the run, to its clean or failed end. */
  async function finish(): Promise<void> {
    try {
      const run = await opening;
      try {
        if (!windingDown) await Promise.all([pump(run), speak(run)]);
      } finally {
        // A stream of messages that is still open is left, also when it was the session that failed.
        inputEnd.resolve();
        await run.close();
      }
    } catch (error) {
      failure ??= error;
      // The seed: a sandbox that cannot start is read as a result, also where no turn was.
      if (isRondoError(error, 'sandbox.unavailable'))
        lines.put([unstartedResult(error, options.sessionId ?? options.resume)]);
    }
    signal?.removeEventListener('abort', onAbort);
    // The seed: a query of one message throws after it has shown an error result.
    if (typeof prompt === 'string' && lastResult?.is_error === true) failure ??= errorOfResult(lastResult);
    lines.end(failure);
    ended.resolve();
  }

  /** Shows what happens until nothing more can. */
  async function pump(run: Working): Promise<void> {
    lines.put(run.firstLines);
    run.watch?.((line) => lines.put([line]));
    for (;;) {
      const { done, value: event } = await run.events.next();
      if (done === true) return;
      see(run, event);
      if (isDone(run)) return;
    }
  }

  function see(run: Working, event: StreamEvent): void {
    run.work.see(event);
    suggestion.see(event);
    if (windingDown) {
      if (event.type === 'turn.started') interruptTurn(run, event.turnId);
      return;
    }
    const said = run.projection.push(event);
    const shown = run.lifecycle?.around(event, said) ?? said;
    // The end of a turn of which nothing was shown is no news.
    if (shown.length === 0 || (event.type === 'turn.ended' && event.turnId === run.parkedTurnId)) return;
    // The budget is the query's, not the turn's: what would come next could not be paid for.
    for (const line of shown) if (line.type === 'result') lastResult = line;
    if (lastResult?.subtype === 'error_max_budget_usd') inputEnd.resolve();
    lines.put(shown);
  }

  function isDone(run: Working): boolean {
    return inputs === 0 && run.work.none && (windingDown || !suggestion.pending);
  }

  async function speak(run: Working): Promise<void> {
    try {
      if (typeof prompt === 'string') await startTurn(run, prompt);
      else await sayAll(run, prompt);
    } catch (error) {
      failure ??= error;
      await windDown(run);
    } finally {
      endInput(run);
    }
  }

  function endInput(run: Working): void {
    inputs -= 1;
    if (isDone(run)) void run.events.return?.();
  }

  async function startTurn(run: Working, text: string): Promise<void> {
    const outcome = await send(run, undefined, (messageId) =>
      run.session.startTurn(text, { messageId, ...limitsLeft(run) }),
    );
    if (outcome.type === 'turn') return;
    const { id } = run.session;
    throw new RondoError('session.busy', `session ${id} is at work for somebody else; wait until its turn has ended`, {
      details: { sessionId: id },
    });
  }

  /** Sends one message, and counts it as outstanding unless it was not taken. */
  async function send(
    run: Working,
    uuid: string | undefined,
    request: (messageId: string) => Promise<Turn | Queued | Busy>,
  ): Promise<Turn | Queued | Busy> {
    const messageId = isUuid(uuid) ? uuid : randomUUID();
    run.work.sent(messageId, uuid !== undefined);
    const outcome = request(messageId);
    sending = outcome.then(
      (sent) => (sent.type === 'turn' ? sent : undefined),
      () => undefined,
    );
    try {
      const sent = await outcome;
      if (sent.type === 'busy') run.work.refused(messageId);
      return sent;
    } catch (error) {
      run.work.refused(messageId);
      throw error;
    }
  }

  async function sayAll(run: Working, stream: AsyncIterable<SDKUserMessage>): Promise<void> {
    let kept: TurnInputBlock[] = [];
    for await (const message of takeUntil(stream, inputEnd.promise)) {
      const content = [...kept, ...readUserMessage(message)];
      kept = message.shouldQuery === false ? content : [];
      if (message.shouldQuery !== false) await sendMessage(run, message, content);
    }
    if (kept.length > 0)
      note('The prompt ended with messages that ask for no answer (shouldQuery: false); they were not sent.');
  }

  async function sendMessage(run: Working, message: SDKUserMessage, content: TurnInputBlock[]): Promise<void> {
    await leaveOpenTurn(run);
    const delivery = message.priority === 'later' ? 'later' : 'join';
    const origin = readMessageOrigin(message);
    await send(run, message.uuid, (messageId) =>
      run.session.sendMessage(content, {
        messageId,
        delivery,
        ...limitsLeft(run),
        ...(origin === undefined ? {} : { origin }),
      }),
    );
  }

  function limitsLeft(run: Working): ReturnType<typeof remainingLimits> {
    return remainingLimits(options, run.projection.state.totalCostUsd - run.spentBefore);
  }

  /** A turn that still waits from before, for an answer or for what is missing here, gives way to what the person says now. */
  async function leaveOpenTurn(run: Working): Promise<void> {
    const { openTurnId, parkedTurnId } = run;
    if (parkedTurnId !== undefined) await run.session.turn(parkedTurnId).interrupt();
    if (openTurnId === undefined || run.work.turnId !== openTurnId) return;
    const turn = run.session.turn(openTurnId);
    if ((await turn.get()).type === 'blocked') await turn.interrupt();
  }

  function interruptTurn(run: Working, turnId: string): void {
    // That it has ended meanwhile is what was wanted.
    run.session
      .turn(turnId)
      .interrupt()
      .catch(() => {});
  }

  async function interruptCurrent(run: Working): Promise<void> {
    const turnId = run.work.turnId ?? (await sending)?.id;
    if (turnId !== undefined) interruptTurn(run, turnId);
  }

  async function windDown(run: Working): Promise<void> {
    windingDown = true;
    inputEnd.resolve();
    await interruptCurrent(run);
    // Nothing but a suggestion may have been waited for.
    if (suggestion.pending && isDone(run)) void run.events.return?.();
  }

  function stop(error?: unknown, how: 'interrupt' | 'leave' = 'interrupt'): Promise<void> {
    stopping ??= (async () => {
      windingDown = true;
      ended.resolve();
      lines.drop(error);
      unwanted.abort(error);
      const run = await opening.catch(() => undefined);
      if (run !== undefined && how === 'leave') await leave(run);
      else if (run !== undefined) await windDown(run);
      await finished;
    })();
    return stopping;
  }

  /** Ends the following of the session; its turn is stopped without a trace when the runtime is given back. */
  async function leave(run: Working): Promise<void> {
    inputEnd.resolve();
    await run.events.return?.();
  }

  async function say(stream: AsyncIterable<SDKUserMessage>): Promise<void> {
    inputs += 1;
    const run = await opening;
    try {
      await sayAll(run, stream);
    } finally {
      endInput(run);
    }
  }

  async function interrupt({ cancelQueued = false }: InterruptOptions = {}): Promise<InterruptReceipt> {
    const run = await opening;
    const cancelled = cancelQueued ? await takeBackQueued(run) : [];
    const queued = run.work.queued().filter((messageId) => !cancelled.includes(messageId));
    await interruptCurrent(run);
    return { still_queued: queued, ...(cancelQueued ? { cancelled } : {}) };
  }

  /** Before the turn is stopped, since what waits would start with its end. */
  async function takeBackQueued(run: Working): Promise<string[]> {
    const named = new Set(run.work.queued());
    const outcomes = await Promise.all(
      run.work.waiting().map(async (messageId) => ({ messageId, taken: await run.session.cancelMessage(messageId) })),
    );
    return outcomes.flatMap(({ messageId, taken }) => (taken !== undefined && named.has(messageId) ? [messageId] : []));
  }

  return {
    next: lines.next,
    stop,
    methods: methodsUntil(ended.promise, place.methods({ opening: opened, interrupt, say })),
  };
}
