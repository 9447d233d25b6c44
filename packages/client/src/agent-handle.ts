import type { SessionInfo } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import { copyJsonObject } from './content/copy-json.ts';
import type { TurnInput } from './content/turn-content.ts';
import { checkHandleOptions, type HandleOptions } from './handle-context.ts';
import type { HandlerOptions } from './handlers/handler-options.ts';
import type { TurnState } from './record/turn-state.ts';
import type { RunOptions, Session, SessionOptions } from './session.ts';
import type { CreateSessionOptions, ListSessionsOptions } from './session-options.ts';

export interface AgentHandleOptions<T = string> extends HandleOptions<T> {
  /** Under which binding the host has the agent. `agent:` and the name unless given. */
  readonly bindingId?: string;
}

export interface AgentRunOptions<T = string> extends Omit<RunOptions<T>, 'bindingId' | 'limits'>, HandlerOptions {}

/** What the session starts with, and handlers of its own in place of the agent's. */
export interface StartSessionOptions extends Omit<CreateSessionOptions, 'bindingId' | 'inputs'>, HandlerOptions {
  /** What tools and hooks read, and the model never sees, by input ID. The session keeps them: never a credential. */
  readonly sessionInputs?: Readonly<Record<string, unknown>>;
}

/** An agent that a host has registered, by its name. Having a handle sends nothing. */
export interface AgentHandle<T = string> {
  readonly name: string;
  /**
   * Runs one message in a session of its own and gives the turn's state: how it ended, what it waits for, or where it is
   * when the wait is over.
   */
  run<U = T>(message: TurnInput, options?: AgentRunOptions<U>): Promise<TurnState<U>>;
  /** A new session, durable when it resolves. The same key with the same options gives the same session. */
  startSession(options?: StartSessionOptions): Promise<Session<T>>;
  /** A handle on one of the agent's sessions, with handlers of its own where they are given. Sends nothing. */
  session(sessionId: string, handlers?: HandlerOptions): Session<T>;
  /** The agent's sessions, newest first, read page by page as the iteration goes on. */
  sessions(options?: Omit<ListSessionsOptions, 'limit'>): AsyncIterable<SessionInfo>;
}

/** The client that a handle works over. */
export interface AgentClient {
  session<T = string>(sessionId: string, options?: SessionOptions<T>): Session<T>;
  createSession(options: CreateSessionOptions): Promise<{ readonly id: string }>;
  listSessions(options?: ListSessionsOptions): AsyncIterable<SessionInfo>;
}

/** @throws TypeError for a name or an option that cannot be. */
export function createAgentHandle<T>(
  client: AgentClient,
  name: string,
  { bindingId = `agent:${name}`, ...options }: AgentHandleOptions<T>,
): AgentHandle<T> {
  if (typeof name !== 'string' || name === '') throw new TypeError('an agent is named by its name, a string');

  function session(sessionId: string, handlers: HandlerOptions = {}): Session<T> {
    return client.session<T>(sessionId, { ...options, ...handlersOf(handlers), bindingId });
  }

  async function startSession(given: StartSessionOptions = {}): Promise<Session<T>> {
    const { onApproval: _a, onSignIn: _s, onClientTool: _c, sessionInputs, ...params } = given;
    const inputs = sessionInputs === undefined ? {} : { inputs: copyJsonObject(sessionInputs, 'sessionInputs') };
    const { id } = await client.createSession({ ...params, ...inputs, bindingId });
    return session(id, given);
  }

  // A mistake in them throws here, not at the first session.
  checkHandleOptions(options);
  return {
    name,
    session,
    startSession,
    async run<U = T>(message: TurnInput, given: AgentRunOptions<U> = {}) {
      const started = await startSession({ ...handlersOf(given), ...(given.signal ? { signal: given.signal } : {}) });
      const { onApproval: _a, onSignIn: _s, onClientTool: _c, ...wait } = given;
      const state = await started.run<U>(message, wait);
      if (state.type === 'busy') throw new RondoError('internal', `a new session is busy: ${started.id}`);
      return state;
    },
    async *sessions(listing = {}) {
      for await (const info of client.listSessions(listing)) if (info.agentName === name) yield info;
    },
  };
}

/** The handlers that are given: what is absent leaves the agent's own. */
function handlersOf({ onApproval, onSignIn, onClientTool }: HandlerOptions): HandlerOptions {
  return {
    ...(onApproval === undefined ? {} : { onApproval }),
    ...(onSignIn === undefined ? {} : { onSignIn }),
    ...(onClientTool === undefined ? {} : { onClientTool }),
  };
}
