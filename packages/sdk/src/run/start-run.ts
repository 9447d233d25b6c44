import type { SDKMessage, SDKUserMessage } from '@rondo/protocol';
import { isRondoError } from '@rondo/protocol/values';
import { AbortError } from '../error/documented-errors.ts';
import type { Options } from '../options/options.ts';
import { errorOfResult } from './error-of-result.ts';
import { closedQuery, methodsUntil } from './methods-until.ts';
import type { OpenRun, OpenRunOptions } from './opened-run.ts';
import type { QueryMethods } from './query-methods.ts';
import { createRunState, endInput, openWorking, type RunState, type WorkingRun } from './run-state.ts';
import { sayMessages, sayPrompt } from './say-messages.ts';
import { showEvents } from './show-events.ts';
import { interruptRun, leaveSession, windDown } from './stop-turn.ts';
import { unstartedResult } from './unstarted-result.ts';

/** A session at work for one `query()`: what is said goes in, the lines of what comes of it come out. */
export interface Run {
  /** The next line, or undefined when all work is done and everything that was held is given back. */
  next(): Promise<SDKMessage | undefined>;
  /** A line that waits, which `next` will not give again. Makes no promise. */
  takeWaiting?(): SDKMessage | undefined;
  readonly methods: QueryMethods;
  /**
   * Stops everything and gives everything back; lines that were not read are dropped. `leave` does not end the turn at
   * work: it stays unfinished, with its questions open, for whoever goes on with the session.
   */
  stop(error?: unknown, how?: 'interrupt' | 'leave'): Promise<void>;
}

/** Where a session is at work: how it is opened, and what steers it there. */
export interface RunPlace<Opened extends OpenRun> {
  open(how: OpenRunOptions): Promise<Opened>;
  /**
   * How long who stops a run waits for its session, where it is out of reach. The reader does not wait at all then. Without,
   * as long as it takes.
   */
  readonly patienceMs?: number;
  methods(run: RunningMethods<Opened>): QueryMethods;
}

/** What a run can do by itself, for the methods of its query. */
export interface RunningMethods<Opened extends OpenRun> {
  readonly opening: Promise<Opened>;
  readonly interrupt: QueryMethods['interrupt'];
  readonly say: QueryMethods['streamInput'];
}

type Prompt = string | AsyncIterable<SDKUserMessage>;

/** Why what a run still waits for is not wanted, where nothing went wrong. Made once: it would be made in every query. */
const queryOver = new AbortError('the query is over');

/** Begins at once; nobody has to read for it to go on. What goes wrong comes out of `next()`. */
export function startRun<Opened extends OpenRun>(prompt: Prompt, options: Options, place: RunPlace<Opened>): Run {
  const state = createRunState(options);
  const { lines, note } = state;
  /** Nothing more comes of the query. */
  const ended = Promise.withResolvers<void>();
  const { signal } = options.abortController ?? {};
  /** Aborts when the run is stopped: what its opening waits for is given up. */
  const unwanted = new AbortController();
  let stopping: Promise<void> | undefined;

  const opened = place.open({ streaming: typeof prompt !== 'string', note, signal: unwanted.signal });
  const opening = openWorking(opened, options);
  const finished = finish();
  const onAbort = (): void => void stop(new AbortError('the query was aborted', { cause: signal?.reason }));
  if (signal?.aborted === true) onAbort();
  else signal?.addEventListener('abort', onAbort, { once: true });

  async function finish(): Promise<void> {
    await work(prompt, opening, state);
    signal?.removeEventListener('abort', onAbort);
    lines.end(state.failure);
    ended.resolve();
  }

  function stop(error?: unknown, how: 'interrupt' | 'leave' = 'interrupt'): Promise<void> {
    if (stopping === undefined) {
      state.windingDown = true;
      ended.resolve();
      unwanted.abort(error ?? queryOver);
      stopping = halt(how);
      lines.drop(error, place.patienceMs === undefined ? stopping : undefined);
    }
    return stopping;
  }

  async function halt(how: 'interrupt' | 'leave'): Promise<void> {
    const run = await opening.catch(() => undefined);
    if (run === undefined) return await finished;
    const over = (how === 'leave' ? leaveSession : windDown)(run, state).then(() => finished);
    await (place.patienceMs === undefined ? over : patiently(over, run, place.patienceMs));
  }

  return {
    next: lines.next,
    takeWaiting: lines.takeWaiting,
    stop,
    methods: methodsUntil(
      ended.promise,
      place.methods({
        opening: opened,
        interrupt: async (how) => await interruptRun(await opening, state, how),
        say: async (stream) => await sayMore(stream, opening, state),
      }),
    ),
  };
}

/** Waits for the end of a run, and gives the run up when that takes too long. */
async function patiently(over: Promise<void>, run: WorkingRun, patienceMs: number): Promise<void> {
  const giveUp = (): void => void run.close().catch(() => {});
  const timer = setTimeout(giveUp, patienceMs);
  try {
    await over;
  } finally {
    clearTimeout(timer);
  }
}

/** The whole of the run, to its clean or failed end. Rejects never: what went wrong is the state's failure. */
async function work(prompt: Prompt, opening: Promise<WorkingRun>, state: RunState): Promise<void> {
  const { options, lines } = state;
  try {
    const run = await opening;
    try {
      if (!state.windingDown) await Promise.all([showEvents(run, state), speak(run, state, prompt)]);
    } finally {
      // A stream of messages that is still open is left, also when it was the session that failed.
      state.inputEnd.resolve();
      await run.close();
    }
  } catch (error) {
    state.failure ??= error;
    // The seed: a sandbox that cannot start is read as a result, also where no turn was.
    if (isRondoError(error, 'sandbox.unavailable'))
      lines.put([unstartedResult(error, options.sessionId ?? options.resume)]);
  }
  // The seed: a query of one message throws after it has shown an error result.
  if (typeof prompt === 'string' && state.lastResult?.is_error === true)
    state.failure ??= errorOfResult(state.lastResult);
}

async function speak(run: WorkingRun, state: RunState, prompt: Prompt): Promise<void> {
  try {
    if (typeof prompt === 'string') await sayPrompt(run, state, prompt);
    else await sayMessages(run, state, prompt);
  } catch (error) {
    state.failure ??= error;
    await windDown(run, state);
  } finally {
    endInput(run, state);
  }
}

/** A further stream of messages, beside the prompt. */
async function sayMore(
  stream: AsyncIterable<SDKUserMessage>,
  opening: Promise<WorkingRun>,
  state: RunState,
): Promise<void> {
  state.inputs += 1;
  const run = await opening;
  try {
    // What nobody takes any more is not said in silence to nobody.
    if (!(await sayMessages(run, state, stream))) throw closedQuery('streamInput');
  } finally {
    endInput(run, state);
  }
}
