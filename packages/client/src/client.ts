import type { MethodName, MethodParams, MethodResult, SessionInfo } from '@rondo/protocol';
import type { Connection, RequestOptions } from './connection/connection.ts';
import type { ClientHook } from './hooks/client-hook.ts';
import { historyEntries } from './content/history-import.ts';
import { type AgentHandle, type AgentHandleOptions, createAgentHandle } from './agent-handle.ts';
import { handleContext } from './handle-context.ts';
import { freezeRecord } from './record/freeze-record.ts';
import { createSession, type Session, type SessionOptions } from './session.ts';
import type { CreateSessionOptions, ListSessionsOptions } from './session-options.ts';
import type { Turn } from './turn.ts';

export interface ClientOptions {
  /** How long `sendMessage` waits before each further try while the session refuses. Five tries in ten seconds by default. */
  readonly busyDelaysMs?: readonly number[];
}

export type OpenSessionOptions = Omit<MethodParams<'session/open'>, 'sessionId'> & RequestOptions;
export type ForkSessionOptions = Omit<MethodParams<'session/fork'>, 'sessionId'> & RequestOptions;

/** A session opened for writing, and what was found in it. */
export interface OpenedSession<T = string> {
  readonly session: Session<T>;
  readonly info: SessionInfo;
  /** The turn that is at work or waits, where one is unfinished. */
  readonly openTurn?: Turn<T>;
  /** What the binding lacks to go on with that turn. Empty where nothing is missing. */
  readonly parked: readonly string[];
}

/** One connection to a host. */
export interface Client {
  /** Any method of the wire, with its params and result. */
  request<Method extends MethodName>(
    method: Method,
    params: MethodParams<Method>,
    options?: RequestOptions,
  ): Promise<MethodResult<Method>>;
  /** Starts a session. Durable when it resolves; the same idempotency key gives the same session. */
  createSession(options: CreateSessionOptions): Promise<Session>;
  /** Opens a stored session for writing. @throws RondoError `session.not_found`, `session.in_use`. */
  openSession(sessionId: string, options: OpenSessionOptions): Promise<OpenedSession>;
  /** A new session with another's history up to `after`, or all of it. */
  forkSession(sessionId: string, options: ForkSessionOptions): Promise<Session>;
  /** Newest first, read page by page as the iteration goes on; `limit` is the most it yields. */
  listSessions(options?: ListSessionsOptions): AsyncIterable<SessionInfo>;
  /**
   * A binding with hooks of this client beside a registered one's own: its ID, to start and open sessions with. It lives as
   * long as this client is connected, and is bound again under the same ID when a lost channel has been opened again.
   * @throws RondoError `binding.not_found`, `input.invalid`, and `session.procedure_unsupported` over HTTP.
   */
  bindHooks(bindingId: string, hooks: readonly ClientHook[], options?: RequestOptions): Promise<string>;
  /** A handle on a session, known to exist or not. Sends nothing. */
  session<T = string>(sessionId: string, options?: SessionOptions<T>): Session<T>;
  /** A handle on an agent that the host has registered by name. Sends nothing. */
  agent<T = string>(name: string, options?: AgentHandleOptions<T>): AgentHandle<T>;
  /** Resolves when the channel has closed, whoever closed it. Never rejects. */
  readonly closed: Promise<void>;
  /** Closes the channel: what waits rejects with `channel.closed`. Turns go on. */
  close(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Whoever looks at the newest few does not wait for all; whoever goes on gets larger pages, four times each. */
const FIRST_PAGE = 100;
const DEFAULT_BUSY_DELAYS_MS: readonly number[] = [1000, 2000, 3000, 4000];

/** The client's face over a connection. */
export function createClient(connection: Connection, place: string, options: ClientOptions): Client {
  const busyDelaysMs = options.busyDelaysMs ?? DEFAULT_BUSY_DELAYS_MS;

  function session<T = string>(sessionId: string, sessionOptions: SessionOptions<T> = {}): Session<T> {
    if (typeof sessionId !== 'string' || sessionId === '')
      throw new TypeError('a session is named by its ID, a string');
    const where = { connection, sessionId, home: place, key: `${place}/${sessionId}` };
    return createSession(where, sessionOptions.bindingId, handleContext(sessionOptions, busyDelaysMs));
  }

  async function* listSessions({
    signal,
    limit,
    ...filter
  }: ListSessionsOptions = {}): AsyncGenerator<SessionInfo, void, void> {
    let left = limit ?? Infinity;
    let most = FIRST_PAGE;
    let before: string | undefined;
    while (left > 0) {
      const params = {
        ...filter,
        limit: Math.min(left, most),
        ...(before === undefined ? {} : { before }),
      };
      const page = await connection.request('session/list', params, signal === undefined ? {} : { signal });
      for (const info of page.sessions.slice(0, left)) yield freezeRecord(info);
      left -= page.sessions.length;
      most *= 4;
      if (page.next === undefined) return;
      before = page.next;
    }
  }

  const client: Client = {
    request: connection.request,
    async createSession({ signal, history, ...given }) {
      const params = { ...given, ...(history === undefined ? {} : { history: historyEntries(history) }) };
      const { sessionId } = await connection.request('session/create', params, signal === undefined ? {} : { signal });
      return session(sessionId, { bindingId: params.bindingId });
    },
    async openSession(sessionId, { signal, ...params }) {
      const opened = await connection.request(
        'session/open',
        { ...params, sessionId },
        signal === undefined ? {} : { signal },
      );
      const handle = session(sessionId, { bindingId: params.bindingId });
      return Object.freeze({
        session: handle,
        info: freezeRecord(opened.session),
        parked: freezeRecord(opened.parked ?? []),
        ...(opened.openTurnId === undefined ? {} : { openTurn: handle.turn(opened.openTurnId) }),
      });
    },
    async forkSession(sessionId, { signal, ...params }) {
      const fork = await connection.request(
        'session/fork',
        { ...params, sessionId },
        signal === undefined ? {} : { signal },
      );
      return session(fork.sessionId, { bindingId: params.bindingId });
    },
    listSessions,
    async bindHooks(bindingId, hooks, requestOptions) {
      const binding = connection.hooks.open(bindingId, hooks);
      try {
        await connection.request('capability/bind', binding, requestOptions);
      } catch (error) {
        connection.hooks.drop(binding);
        throw error;
      }
      connection.hooks.keep(binding);
      return binding.newBindingId;
    },
    session,
    agent: (name, agentOptions = {}) => createAgentHandle(client, name, agentOptions),
    closed: connection.closed,
    close: connection.close,
    async [Symbol.asyncDispose]() {
      connection.close();
      await connection.closed;
    },
  };
  return client;
}
