import type { Session } from '@rondo/client';
import type { SDKMessage, StreamEvent } from '@rondo/protocol';
import type { Projection } from '../message/project-message.ts';

/** The events of a run. What has come already can be taken without a promise for each. */
export interface RunEvents extends AsyncIterator<StreamEvent> {
  takeWaiting?(): StreamEvent | undefined;
}

/** A session that is open for one `query()`, and what follows in it. */
export interface OpenRun {
  readonly session: Session;
  /** A turn that a former process left unfinished, which goes on. */
  readonly openTurnId?: string;
  /** One that cannot go on here, and waits until something new is said. */
  readonly parkedTurnId?: string;
  readonly projection: Projection;
  /** What a reader should be shown first: how an open turn began. */
  readonly firstLines: readonly SDKMessage[];
  /** From the run's beginning on. Leaving it ends it, also while a `next()` is pending. */
  readonly events: RunEvents;
  /** Who is shown what happens beside the session: to the mirror of a program's store. */
  watch?(show: (line: SDKMessage) => void): void;
  /** Gives everything back. A turn at work goes on until the runtime closes. */
  close(): Promise<void>;
}

export interface OpenRunOptions {
  readonly streaming: boolean;
  readonly note: (text: string) => void;
  /** Aborts when nobody wants the run any more: what is waited for while it is opened is given up. */
  readonly signal?: AbortSignal | undefined;
}
