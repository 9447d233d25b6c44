import type { Turn } from '@rondo/client';
import type { SDKMessage, SDKResultMessage, TurnInputBlock } from '@rondo/protocol';
import { type CommandLifecycle, createCommandLifecycle } from '../message/command-lifecycle.ts';
import type { Options } from '../options/options.ts';
import { type AwaitedSuggestion, createAwaitedSuggestion } from './awaited-suggestion.ts';
import { createLineQueue, type LineQueue } from './line-queue.ts';
import { noteFor } from './note-for.ts';
import type { OpenRun } from './opened-run.ts';
import { createOutstandingWork, type OutstandingWork } from './outstanding-work.ts';

/** What the parts of a run tell one another. */
export interface RunState {
  readonly options: Options;
  readonly lines: LineQueue<SDKMessage>;
  readonly note: (text: string) => void;
  readonly suggestion: AwaitedSuggestion;
  /** Resolves when nothing more is to be said: streams of messages that are still open are left. */
  readonly inputEnd: PromiseWithResolvers<void>;
  /** Prompts and streams that may still say something. */
  inputs: number;
  /** What was said without asking for an answer: it is sent with the next message, whichever stream that comes of. */
  kept: TurnInputBlock[];
  /** The turn of the last message that was sent. */
  sending: Promise<Turn | undefined>;
  /** Nothing more is said or shown; turns that are at work or begin are told to stop. */
  windingDown: boolean;
  failure: unknown;
  /** The last result that was shown. */
  lastResult: SDKResultMessage | undefined;
}

/** A run that is open, and what it waits for. */
export interface WorkingRun extends OpenRun {
  readonly work: OutstandingWork;
  /** Tells how far messages have come, where that was asked for. */
  readonly lifecycle?: CommandLifecycle;
  /** US dollars that the session had cost before. */
  readonly spentBefore: number;
}

export function createRunState(options: Options): RunState {
  return {
    options,
    lines: createLineQueue<SDKMessage>(),
    note: noteFor(options),
    suggestion: createAwaitedSuggestion(options.promptSuggestions === true),
    inputEnd: Promise.withResolvers<void>(),
    inputs: 1,
    kept: [],
    sending: Promise.resolve(undefined),
    windingDown: false,
    failure: undefined,
    lastResult: undefined,
  };
}

export async function openWorking(opened: Promise<OpenRun>, options: Options): Promise<WorkingRun> {
  const run = await opened;
  const lifecycle = options.commandLifecycle === true ? createCommandLifecycle(run.session.id) : undefined;
  return {
    ...run,
    spentBefore: run.projection.state.totalCostUsd,
    work: createOutstandingWork(run.openTurnId),
    ...(lifecycle === undefined ? {} : { lifecycle }),
  };
}

/** Whether nothing more can come of a run. */
export function isDone(run: WorkingRun, { inputs, suggestion, windingDown }: RunState): boolean {
  return inputs === 0 && run.work.none() && (windingDown || !suggestion.pending());
}

/** One of the prompts and streams has said all that it had to say. */
export function endInput(run: WorkingRun, state: RunState): void {
  state.inputs -= 1;
  if (state.inputs === 0 && state.kept.length > 0)
    state.note('The prompt ended with messages that ask for no answer (shouldQuery: false); they were not sent.');
  if (isDone(run, state)) void run.events.return?.();
}
