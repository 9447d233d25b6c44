import type {
  AnyEvent,
  BindingRecord,
  BlobReference,
  SessionEvent,
  Termination,
  PermissionMode,
} from '@rondo/protocol';

/** An event and its JSON text, made once: the log writes the text, subscribers get the event. */
export interface EncodedEvent {
  readonly event: SessionEvent;
  readonly json: string;
}

/** What opening a log found to be lost. */
export interface LogDamage {
  /** Bytes of an incomplete last batch that were cut off. */
  readonly droppedBytes: number;
  /** Lines in the middle that could not be read; they stay in the file and are left out. */
  readonly damagedLines: number;
}

/**
 * The right to write one session tree's log. There is one owner at a time; every append is checked against losing it.
 */
export interface OwnedLog {
  readonly sessionId: string;
  /** Grows with every owner. */
  readonly epoch: number;
  /** The last committed event's `seq`, 0 for a new log. */
  readonly lastSeq: number;
  readonly damage: LogDamage | undefined;
  /** Set when the log holds a required event this version does not know: appends are refused with `session.read_only`. */
  readonly readOnly: boolean;
  /**
   * Takes the events as one atomic batch, in call order, and resolves when they are durable. Appends that arrive while
   * one is being written are committed together. After a failed write or sync every append rejects with
   * `session.write_failed` until the session is opened again; what had been acknowledged is in the log.
   */
  append(events: readonly EncodedEvent[], options?: AppendOptions): Promise<void>;
  /** Somebody waits by now for what was appended in the background. Absent where appending never lingers. */
  hurry?(): void;
  /** The replay that `acquire` was given has been told every committed event. Otherwise they are to be read. */
  readonly replayed?: boolean;
  /** Offers what `Replay.restore` can go on from. A store without snapshots has none of it. */
  keep?(snapshot: SnapshotOffer): void;
  /** Gives the log up after pending appends are done. The host's other sessions stay owned. */
  release(): Promise<void>;
}

/**
 * Hears a log's events while the store opens it, so that opening reads the log once, or from a snapshot on only its
 * end.
 */
export interface Replay {
  /**
   * Goes on from what was kept under the same `version`, as if it had been told every event until then. False when it
   * cannot: then it is told all of them. Called before any event, if at all.
   */
  restore(value: unknown): boolean;
  apply(event: AnyEvent): void;
  /** Names the kind of value. One that was kept under another name is not offered. */
  readonly version: string;
  /** Far into a long log, results may come without their long texts: `isBrief` says which. */
  readonly takesBrief?: boolean;
}

/** What stands for all events up to one. It is a cache: a store may drop it, and takes it only when that is worth it. */
export interface SnapshotOffer {
  readonly version: string;
  /** The last event that is in it. It is taken only when that is the last committed one too. */
  readonly seq: number;
  /** Makes the value: anything that a structured clone can copy. Asked for at once, or never. */
  readonly value: () => unknown;
}

export interface AcquireOptions {
  readonly replay?: Replay;
}

export interface AppendOptions {
  /** Nobody waits for it yet: a store may let it linger for some milliseconds, to make it durable with what follows. */
  readonly background?: boolean;
}

export interface ReadOptions {
  /** Events with a greater `seq`; 0 or absent is from the start. */
  readonly after?: number;
  readonly signal?: AbortSignal;
}

/** Bytes beside a log, by their SHA-256. */
export interface BlobStore {
  /** Durable when it resolves. Writing the same bytes again does nothing. */
  write(bytes: Uint8Array): Promise<BlobReference>;
  /** @throws RondoError `blob.not_found`. */
  read(hash: string, range?: { readonly offset: number; readonly length: number }): Promise<Uint8Array>;
}

/** What a store knows of a session without replaying it for a caller. */
export interface StoredSession {
  readonly sessionId: string;
  readonly binding: BindingRecord;
  readonly createdAt: string;
  /** Time of the last event, not of the file. */
  readonly updatedAt: string;
  readonly lastSeq: number;
  readonly turns: number;
  readonly status: string;
  readonly title?: string;
  readonly tag?: string;
  readonly archived?: true;
  /** The mode that it was put in since it began. */
  readonly permissionMode?: PermissionMode;
  readonly firstPrompt?: string;
  /** The branch of git that a turn's surroundings named last. */
  readonly gitBranch?: string;
  /** Of the log, where it is a file. */
  readonly logBytes?: number;
  readonly activeTurnId?: string;
  readonly lastTurnId?: string;
  /** When it last started or ended a turn: a rename or another owner does not count. */
  readonly lastTurnAt?: string;
  /** How a session with the status `terminated` ended. */
  readonly termination?: Termination;
  /** Messages wait that were accepted and that no turn has read. */
  readonly messagesWait?: true;
}

export interface ListOptions {
  readonly cwd?: string;
  readonly limit?: number;
  /** Sessions older than this one, from the previous page's `next`. */
  readonly before?: string;
}

/** Where logs live. Implementations pass the store's conformance cases in `@rondo/runtime/testing`. */
export interface EventStore {
  /** Makes and owns the log of a new session tree. @throws RondoError `session.exists`. */
  create(sessionId: string): Promise<OwnedLog>;
  /** Owns an existing log. @throws RondoError `session.not_found`, `session.in_use` with the owner in `details`. */
  acquire(sessionId: string, options?: AcquireOptions): Promise<OwnedLog>;
  /**
   * Removes a session tree's log and everything beside it, for good. The log goes first: a session whose removal was
   * cut off is not found either. @throws RondoError `session.not_found`, `session.in_use`.
   */
  remove(sessionId: string): Promise<void>;
  /** Committed events in order, whole batches only. @throws RondoError `session.not_found`. */
  read(sessionId: string, options?: ReadOptions): AsyncIterable<AnyEvent>;
  /**
   * Tells the replay every committed event, or from a snapshot on those after it, without owning the log. Absent: read
   * them. @throws RondoError `session.not_found`.
   */
  replay?(sessionId: string, replay: Replay): Promise<void>;
  /** Like `read`, then waits for more, also of another process's writing, until the signal aborts. */
  tail(sessionId: string, options: ReadOptions & { readonly signal: AbortSignal }): AsyncIterable<AnyEvent>;
  /** Newest last event first. */
  list(options?: ListOptions): Promise<{ readonly sessions: readonly StoredSession[]; readonly next?: string }>;
  /** One session, without a list. */
  describe(sessionId: string): Promise<StoredSession | undefined>;
  blobs(sessionId: string): BlobStore;
  /** Folder for a session's large outputs, or undefined where the store has no files. */
  outputDirectory(sessionId: string): string | undefined;
  /** The file that a session's log is in. Absent, or undefined, where there is none. */
  logPath?(sessionId: string): string | undefined;
  /** Gives up every log and lock. */
  close(): Promise<void>;
}
