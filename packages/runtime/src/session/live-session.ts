import type { AnswerOutcome, AnyEvent, CallbackAnswer, PermissionUpdate } from '@rondo/protocol';
import { createCallbackDesk } from '../callback/callback-desk.ts';
import { createContextBuilder } from '../context/context-builder.ts';
import type { EventDraft } from '../event/event-draft.ts';
import type { SessionState } from '../event/session-state.ts';
import type { Policy } from '../permission/policy.ts';
import type { Binding } from '../turn/binding.ts';
import type { TurnStop } from '../turn/turn-parts.ts';
import { createEventFeed, type EventFeed } from './event-feed.ts';
import { createItemReader, createWholeItem } from './item-reader.ts';
import type { SessionServices } from './session-services.ts';
import type { SessionWriter } from './tree-writer.ts';
import { createTurnRunner, type TurnRunner } from './turn-runner.ts';

/** One session at work in its tree: its questions, what follows it, and the turn it works on. */
export interface LiveSession {
  readonly state: SessionState;
  readonly feed: EventFeed;
  readonly writer: SessionWriter;
  readonly run: TurnRunner['run'];
  /** The turn that is running here. A turn that only the log says is open is not. */
  runningTurnId(): string | undefined;
  /** Tells the running turn to stop; resolves when it has. */
  stop(cause: TurnStop['cause']): Promise<void>;
  /** Resolves when nothing runs any more. */
  settled(): Promise<void>;
  answer(callbackId: string, answer: CallbackAnswer, by: string): Promise<AnswerOutcome>;
  /** Ends every wait for an answer. What is stored stays. */
  leave(): void;
}

export interface LiveSessionOptions {
  readonly services: SessionServices;
  /** Names the log, and what is beside it. */
  readonly rootId: string;
  readonly state: SessionState;
  readonly writer: SessionWriter;
  /** `seq` up to which the log has the session's events committed. */
  readonly committed: number;
  readonly policy: (binding: Binding) => Policy;
  /** What is to be noted about these updates. Throws when the policy cannot take them as they are. */
  readonly checkUpdates: (updates: readonly PermissionUpdate[]) => readonly EventDraft[];
  /** The turn has ended, and nothing runs. */
  readonly onEnded: () => Promise<void>;
  readonly onFailed: (error: unknown) => void;
}

export function createLiveSession(options: LiveSessionOptions): LiveSession {
  const { services, rootId, state, writer, committed, policy, checkUpdates, onEnded, onFailed } = options;
  const { sessionId } = state;
  const read = (after: number): AsyncIterable<AnyEvent> => services.store.read(rootId, { after });
  const feed = createEventFeed({ sessionId, read, committed, snapshot: () => runner.snapshot() });
  const desk = createCallbackDesk({ state, emit: writer.emit, checkUpdates });
  const runner = createTurnRunner({
    services,
    rootId,
    state,
    writer,
    desk,
    context: createContextBuilder({
      readBlob: (hash) => services.readBlob(rootId, hash),
      wholeItems: () => createItemReader(read),
    }),
    wholeItem: createWholeItem({ read, readBlob: (hash) => services.readBlob(rootId, hash) }),
    policy,
    permissionFacts(updates) {
      const notes = checkUpdates(updates);
      return updates.length === 0 ? [] : [{ type: 'session.updated', permissions: [...updates] }, ...notes];
    },
    wantsDeltas: feed.wantsDeltas,
    onEnded,
    onFailed,
  });
  return {
    state,
    feed,
    writer,
    run: runner.run,
    runningTurnId: runner.runningTurnId,
    stop: runner.stop,
    settled: runner.settled,
    answer: desk.answer,
    leave: desk.leave,
  };
}
