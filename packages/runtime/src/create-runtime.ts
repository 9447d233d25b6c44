import type {
  AnyEvent,
  BindingRecord,
  CallbackAnswer,
  MethodParams,
  SessionInfo,
  TurnInputBlock,
} from '@rondo/protocol';
import { encodeBase64, RondoError } from '@rondo/protocol/values';
import { systemClock, type Clock } from './event/clock.ts';
import type { EventStore, OwnedLog } from './event/event-store.ts';
import { emptySessionState, type SessionState } from './event/session-state.ts';
import { spillEvent } from './event/spill-event.ts';
import { policyHash } from './permission/policy-hash.ts';
import type { Runtime, SubscribeOptions } from './runtime.ts';
import { bindingRecordOf, missingForSession } from './session/binding-record.ts';
import { cursorPlace } from './session/cursor-place.ts';
import { type EventBatch } from './session/event-feed.ts';
import { forkEvents } from './session/fork-session.ts';
import { createLiveSession, type LiveSession } from './session/live-session.ts';
import type { TurnMessage } from './session/keyed-send.ts';
import type { SessionServices } from './session/session-services.ts';
import { acquireReplayed, replayStored } from './session/session-replay.ts';
import { createSessionTable } from './session/session-table.ts';
import { recordOfTurn, sessionInfoOfStored } from './session/turn-reading.ts';
import type { Binding } from './turn/binding.ts';

export interface RuntimeOptions {
  readonly store: EventStore;
  /** SHA-256 of the text's UTF-8 bytes, hexadecimal: the one thing that the engine takes from its platform's cryptography. */
  readonly sha256: (text: string) => string;
  /** Where a path really leads. Absent: as written, for hosts without a file system. */
  readonly resolvePath?: (path: string) => Promise<string>;
  /** The file system does not tell upper from lower case, so that rules must not either. */
  readonly foldCase?: boolean;
  readonly clock?: Clock;
  /** A new UUID. */
  readonly newId?: () => string;
  readonly random?: () => number;
  /** Names this host in the log. */
  readonly host?: { readonly id: string; readonly pid?: number };
}

const PAGE_EVENTS = 1000;

/** An engine over a store. Nothing is opened before the first call that needs it. */
export function createRuntime(options: RuntimeOptions): Runtime {
  const { store } = options;
  const newId = options.newId ?? (() => globalThis.crypto.randomUUID());
  const services: SessionServices = {
    store,
    clock: options.clock ?? systemClock,
    newId,
    random: options.random ?? Math.random,
    sha256: options.sha256,
    resolvePath: options.resolvePath ?? ((path) => Promise.resolve(path)),
    foldCase: options.foldCase ?? false,
    host: options.host ?? { id: newId() },
    spill: (sessionId, encoded) => spillEvent(encoded, (bytes) => store.blobs(sessionId).write(bytes)),
    readBlob: (sessionId, hash) => store.blobs(sessionId).read(hash),
  };
  const bindings = new Map<string, Binding>();
  const sessions = createSessionTable();
  let closed = false;

  function bindingOf(bindingId: string): Binding {
    const binding = bindings.get(bindingId);
    if (binding !== undefined) return binding;
    throw new RondoError('binding.not_found', `no binding ${bindingId} is registered in this runtime`, {
      details: { bindingId },
    });
  }

  const recordOf = (binding: Binding): BindingRecord =>
    bindingRecordOf(binding, policyHash(binding.policy, options.sha256));

  function assertOpen(): void {
    if (closed) throw new RondoError('channel.closed', 'the runtime has been closed');
  }

  function makeLive(log: OwnedLog, state: SessionState): LiveSession {
    const session: LiveSession = createLiveSession({
      services,
      log,
      state,
      onFailed: () => void sessions.giveUp(session),
    });
    return session;
  }

  async function liveSession(sessionId: string): Promise<LiveSession> {
    assertOpen();
    const session = sessions.get(sessionId);
    if (session !== undefined) return await session;
    const stored = await store.describe(sessionId);
    if (stored === undefined) throw sessionNotFound(sessionId);
    throw new RondoError(
      'session.busy',
      `session ${sessionId} is not open in this runtime; open it with session/open first`,
      {
        details: { sessionId },
      },
    );
  }

  /** Opens a stored session on first use, settling what a crash left, as whoever starts a turn was told to do. */
  async function sessionFor(sessionId: string, bindingId: string): Promise<LiveSession> {
    assertOpen();
    const binding = bindingOf(bindingId);
    sessions.use(bindingId, sessionId);
    return await (sessions.get(sessionId) ??
      sessions.register(sessionId, acquireSession(sessionId, binding, 'settle')));
  }

  async function acquireSession(
    sessionId: string,
    binding: Binding,
    unfinished: 'settle' | 'continue',
  ): Promise<LiveSession> {
    await sessions.left(sessionId);
    const { log, state } = await acquireReplayed(store, sessionId);
    try {
      assertSatisfied(state, binding);
      const session = makeLive(log, state);
      if (!log.readOnly) await session.recover(binding, unfinished);
      return session;
    } catch (error) {
      await log.release().catch(() => {});
      throw error;
    }
  }

  function assertSatisfied(state: SessionState, binding: Binding): void {
    if (state.binding === undefined) return;
    const missing = missingForSession(state.binding, recordOf(binding));
    if (missing.length === 0) return;
    throw new RondoError(
      'session.config_mismatch',
      `session ${state.sessionId} was started with what is missing here: ${missing.join(', ')}. Continue it with the program that started it, or fork it (--fork-session)`,
      { details: { sessionId: state.sessionId, missing } },
    );
  }

  async function newSession(
    sessionId: string,
    record: BindingRecord,
    facts: {
      readonly title?: string;
      readonly forkedFrom?: { sessionId: string; cursor: string };
      readonly idempotencyKey?: string;
    },
    fill?: (session: LiveSession) => Promise<void>,
  ): Promise<LiveSession> {
    await sessions.left(sessionId);
    const log = await store.create(sessionId);
    const session = makeLive(log, emptySessionState(sessionId));
    session.emit([
      { type: 'session.created', binding: record, ...facts },
      { type: 'session.acquired', epoch: log.epoch, host: { ...services.host } },
    ]);
    try {
      await fill?.(session);
    } catch (error) {
      await session.close();
      throw error;
    }
    return session;
  }

  /** A session's owner here, or an owner for as long as the work takes: what its last one left unfinished stays so. */
  async function withOwner<Value>(sessionId: string, work: (session: LiveSession) => Promise<Value>): Promise<Value> {
    return await sessions.borrow(sessionId, async (owner) => {
      if (owner !== undefined) return await work(owner);
      const { log, state } = await acquireReplayed(store, sessionId);
      const session = createLiveSession({ services, log, state, onFailed: () => {} });
      try {
        if (!log.readOnly) session.takeOver();
        return await work(session);
      } finally {
        await session.close();
      }
    });
  }

  /** What a session was last at work with, as its log says. */
  async function recordedBinding(sessionId: string): Promise<BindingRecord> {
    const stored = await store.describe(sessionId);
    if (stored === undefined) throw sessionNotFound(sessionId);
    return stored.binding;
  }

  async function infoOf(sessionId: string): Promise<SessionInfo> {
    const session = sessions.get(sessionId);
    if (session !== undefined) return await (await session).info();
    const stored = await store.describe(sessionId);
    if (stored === undefined) throw sessionNotFound(sessionId);
    return sessionInfoOfStored(stored);
  }

  async function* subscribe(
    sessionId: string,
    { after, fromTurn, deltas = false, signal }: SubscribeOptions,
  ): AsyncGenerator<EventBatch, void> {
    assertOpen();
    const session = await sessions.get(sessionId);
    if (session !== undefined) {
      const place =
        after === undefined ? beforeTurn(session.state, fromTurn) : cursorPlace(sessionId, after, session.state.seq);
      yield* session.feed.follow({ after: place, deltas, signal });
      return;
    }
    const stored = await store.describe(sessionId);
    if (stored === undefined) throw sessionNotFound(sessionId);
    const place = cursorPlace(sessionId, after, stored.lastSeq);
    for await (const event of store.tail(sessionId, { after: place, signal })) {
      if (event.sessionId === sessionId) yield [event];
    }
  }

  return {
    bind(binding, bindingId = newId()) {
      bindings.set(bindingId, binding);
      return bindingId;
    },
    unbind(bindingId) {
      bindings.delete(bindingId);
      void sessions.leave(bindingId);
    },
    binding: (bindingId) => bindings.get(bindingId),
    async createSession(params) {
      assertOpen();
      const binding = bindingOf(params.bindingId);
      const sessionId = params.sessionId ?? newId();
      if (sessions.get(sessionId) !== undefined) throw sessionExists(sessionId);
      sessions.use(params.bindingId, sessionId);
      const facts = {
        ...(params.title === undefined ? {} : { title: params.title }),
        ...(params.idempotencyKey === undefined ? {} : { idempotencyKey: params.idempotencyKey }),
      };
      const session = await sessions.register(sessionId, newSession(sessionId, recordOf(binding), facts));
      await session.info();
      return { sessionId };
    },
    async openSession(params) {
      assertOpen();
      const binding = bindingOf(params.bindingId);
      sessions.use(params.bindingId, params.sessionId);
      const known = sessions.get(params.sessionId);
      if (known !== undefined) assertSatisfied((await known).state, binding);
      const session = await (known ??
        sessions.register(params.sessionId, acquireSession(params.sessionId, binding, params.unfinished)));
      const openedAs = known === undefined ? session.openedAs() : undefined;
      const info = openedAs ?? (await session.takeUp(binding, params.unfinished));
      const parked = [...session.state.parked.values()].flat();
      return {
        session: info,
        ...(info.activeTurnId === undefined ? {} : { openTurnId: info.activeTurnId }),
        ...(parked.length === 0 ? {} : { parked }),
      };
    },
    async forkSession(params) {
      assertOpen();
      const { bindingId } = params;
      const given = bindingId === undefined ? undefined : recordOf(bindingOf(bindingId));
      const sessionId = params.newSessionId ?? newId();
      const source = await infoOf(params.sessionId);
      const record = given ?? (await recordedBinding(params.sessionId));
      assertOpen();
      if (sessions.get(sessionId) !== undefined) throw sessionExists(sessionId);
      const cursor = params.after ?? source.cursor;
      const place = cursorPlace(
        params.sessionId,
        cursor,
        cursorPlace(params.sessionId, source.cursor, Number.MAX_SAFE_INTEGER),
      );
      const user = bindingId ?? newId();
      sessions.use(user, sessionId);
      const facts = {
        forkedFrom: { sessionId: params.sessionId, cursor },
        ...(params.title === undefined ? {} : { title: params.title }),
      };
      const fill = async (session: LiveSession): Promise<void> => {
        const from = { store, sessionId: params.sessionId, until: place };
        const target = { sessionId, blobs: store.blobs(sessionId) };
        // A turn is read while the one before it is stored, so that a long session is never in memory whole.
        let stored: Promise<void> | undefined;
        for await (const drafts of forkEvents(from, target)) {
          await stored;
          stored = session.emit(drafts).committed;
        }
        await session.settleCutOff();
      };
      const session = await sessions.register(sessionId, newSession(sessionId, record, facts, fill));
      await session.info();
      if (bindingId === undefined) await sessions.leave(user);
      return { sessionId };
    },
    readSession: (params) => infoOf(params.sessionId),
    async listSessions(params) {
      const { sessions: stored, next } = await store.list({
        ...(params.cwd === undefined ? {} : { cwd: params.cwd }),
        ...(params.limit === undefined ? {} : { limit: params.limit }),
        ...(params.before === undefined ? {} : { before: params.before }),
      });
      return { sessions: stored.map(sessionInfoOfStored), ...(next === undefined ? {} : { next }) };
    },
    async updateSession(params) {
      assertOpen();
      const permissions = [...(params.permissions ?? [])];
      if (params.permissionMode !== undefined) {
        permissions.push({ type: 'setMode', mode: params.permissionMode, destination: 'session' });
      }
      const change = {
        ...(params.title === undefined ? {} : { title: params.title }),
        ...(params.tag === undefined ? {} : { tag: params.tag }),
        ...(permissions.length === 0 ? {} : { permissions }),
      };
      const update = async (session: LiveSession): Promise<SessionInfo> => {
        await session.update(change);
        return await session.info();
      };
      // Rules are checked against the policy of a binding; names need none.
      return permissions.length > 0
        ? await update(await liveSession(params.sessionId))
        : await withOwner(params.sessionId, update);
    },
    async deleteSession(sessionId) {
      assertOpen();
      await sessions.borrow(sessionId, async (owner) => {
        if (owner === undefined) return await store.remove(sessionId);
        throw new RondoError('session.in_use', `session ${sessionId} is open in this process; close it first`, {
          details: { sessionId },
        });
      });
    },
    async startTurn(params) {
      const session = await sessionFor(params.sessionId, params.bindingId);
      return await session.startTurn(messageOf(params), bindingOf(params.bindingId));
    },
    async sendMessage(params) {
      const session = await sessionFor(params.sessionId, params.bindingId);
      return await session.sendMessage(messageOf(params), params.delivery, bindingOf(params.bindingId));
    },
    async steerTurn(params) {
      return await (await liveSession(params.sessionId)).steer(params.turnId, messageOf(params));
    },
    async readTurn(params) {
      const session = sessions.get(params.sessionId);
      if (session !== undefined) return await (await session).record(params.turnId);
      const state = await replayStored(store, params.sessionId);
      return await recordOfTurn(state, params.turnId, (after) => store.read(params.sessionId, { after }));
    },
    async interruptTurn(params) {
      return await (await liveSession(params.sessionId)).interrupt(params.turnId);
    },
    async answerCallback(params, { by = 'client' } = {}) {
      return await (await liveSession(params.sessionId)).answer(params.callbackId, callbackAnswerOf(params.answer), by);
    },
    async readEvents(params) {
      const info = await infoOf(params.sessionId);
      const last = cursorPlace(params.sessionId, info.cursor, Number.MAX_SAFE_INTEGER);
      const after = cursorPlace(params.sessionId, params.after, last);
      const limit = params.limit ?? PAGE_EVENTS;
      const events: AnyEvent[] = [];
      let more = false;
      for await (const event of store.read(params.sessionId, { after })) {
        if (event.sessionId !== params.sessionId) continue;
        more = events.length === limit;
        if (more) break;
        events.push(event);
      }
      return { events, cursor: events[events.length - 1]?.id ?? params.after ?? `${params.sessionId}:0`, more };
    },
    subscribe,
    async readBlob(params) {
      const offset = params.offset ?? 0;
      const length = params.limit ?? Number.MAX_SAFE_INTEGER;
      const bytes = await store.blobs(params.sessionId).read(params.hash, { offset, length });
      return { data: encodeBase64(bytes), bytes: bytes.length };
    },
    async close() {
      if (closed) return;
      closed = true;
      await sessions.closeAll();
      await store.close();
    },
  };
}

/** The place just before a turn's first event, or the session's start where no such turn is known. */
function beforeTurn(state: SessionState, turnId: string | undefined): number {
  const start = turnId === undefined ? undefined : state.turns.get(turnId);
  return start === undefined ? 0 : start.startSeq - 1;
}

type MessageParams = Pick<MethodParams<'turn/start'>, 'content' | 'messageId' | 'idempotencyKey' | 'limits'>;

function messageOf(params: MessageParams): TurnMessage {
  const content = params.content.map(givenBlock);
  return { content, messageId: params.messageId, idempotencyKey: params.idempotencyKey, limits: params.limits };
}

type GivenBlock = MessageParams['content'][number];

function givenBlock(block: GivenBlock): TurnInputBlock {
  return block.type === 'text' ? { ...block, text: block.text ?? '' } : block;
}

function callbackAnswerOf(answer: MethodParams<'callback/answer'>['answer']): CallbackAnswer {
  if (answer.type === 'allow') return { ...answer, scope: answer.scope ?? 'once' };
  if (answer.type !== 'tool_result') return answer;
  const { content, ...rest } = answer;
  return content === undefined ? rest : { ...rest, content: content.map(givenBlock) };
}

function sessionNotFound(sessionId: string): RondoError {
  return new RondoError('session.not_found', `there is no session ${sessionId}`, { details: { sessionId } });
}

function sessionExists(sessionId: string): RondoError {
  return new RondoError('session.exists', `session ${sessionId} exists already`, { details: { sessionId } });
}
