import { randomUUID } from 'node:crypto';
import type {
  CreateSessionOptions,
  HandleOptions,
  HandlerOptions,
  OpenedSession,
  RequestOptions,
  RunOptions,
  Session,
  TurnInput,
  TurnState,
} from '@rondo/client';
import type { AgentCustomization, SessionInfo } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import { agentDefinition } from './agent-brand.ts';
import type { AgentOptions } from './agent-options.ts';
import { openAgentPlace, type AgentPlace } from './agent-place.ts';
import { checkAgentOptions, defaultAgentName } from './compile-agent.ts';
import { outputSchema } from './output-schema.ts';
import { handleOptions } from './handle-options.ts';
import { type GivenInputs, inputValues } from './session-inputs.ts';

/** Handlers that are given stand in place of the agent's. */
export interface AgentRunOptions<T = string> extends Omit<RunOptions<T>, 'bindingId' | 'limits'>, HandlerOptions {
  /** What tools and hooks read of the run's session. Never a credential. */
  readonly sessionInputs?: GivenInputs;
}

/** Handlers that are given stand in place of the agent's. */
export interface StartSessionOptions extends RequestOptions, HandlerOptions {
  /** The same key gives the same session. */
  readonly idempotencyKey?: string;
  readonly title?: string;
  /** What the session has otherwise than the agent. Its permission mode is never wider than the agent's. */
  readonly agent?: AgentCustomization;
  /** What the session begins with. It runs nothing. */
  readonly history?: NonNullable<CreateSessionOptions['history']>;
  /**
   * What tools and hooks read, and the model never sees: values made by the inputs, or values by input ID. The session
   * keeps them for its whole life, so never put a credential in one.
   */
  readonly sessionInputs?: GivenInputs;
}

/**
 * An agent in this process: a model, what it is told, and its tools. Making one loads nothing; its first session does.
 * Close it when its sessions are no longer wanted here.
 */
export class Agent<T = string> {
  readonly name: string;
  readonly #options: AgentOptions<T>;
  readonly #handle: HandleOptions<T>;
  #place: AgentPlace | undefined;
  #closed = false;

  /** @throws TypeError naming the option that cannot be. */
  constructor(options: AgentOptions<T>) {
    checkAgentOptions(options);
    this.#options = { ...options };
    this.#handle = handleOptions(options);
    this.name = options.name ?? defaultAgentName;
  }

  /**
   * Runs one message in a session of its own and gives the turn's record: how it ended, what it waits for, or where it
   * is when the wait is over. The session can be gone on with by its ID.
   * @throws TypeError for an `outputType` that the model cannot be asked with.
   */
  async run<U = T>(
    message: TurnInput,
    { sessionInputs, onApproval, onSignIn, onClientTool, ...options }: AgentRunOptions<U> = {},
  ): Promise<TurnState<U>> {
    const inputs = sessionInputs === undefined ? {} : { inputs: inputValues(sessionInputs) };
    const { outputType } = options;
    const output = outputType === undefined ? undefined : { schema: outputSchema(outputType) };
    const { client, ready } = this.#open();
    const { runtime, binding } = await ready;
    // A binding of the run's own: with it the runtime lets go of the session when its turn has ended.
    const bindingId = runtime.bind(output === undefined ? binding : { ...binding, output });
    try {
      const sessionId = randomUUID();
      // Nothing can have this ID, so the turn's start need not wait for the session's; should that fail, so does this.
      const created = client.createSession({ bindingId, sessionId, ...inputs });
      created.catch(() => {});
      const handlers = given({ onApproval, onSignIn, onClientTool });
      const running = client
        .session<T>(sessionId, { ...this.#handle, ...handlers, bindingId })
        .run<U>(message, options);
      // Where there is no session, the reason is its own.
      const record = await running.catch(async (error: unknown) => {
        await created;
        throw error;
      });
      if (record.type === 'busy') throw new RondoError('internal', `a new session is busy: ${sessionId}`);
      return record;
    } finally {
      runtime.unbind(bindingId);
    }
  }

  /** A new session. Durable when it resolves. */
  async startSession({
    sessionInputs,
    onApproval,
    onSignIn,
    onClientTool,
    ...options
  }: StartSessionOptions = {}): Promise<Session<T>> {
    const inputs = sessionInputs === undefined ? {} : { inputs: inputValues(sessionInputs) };
    const { client, bindingId } = this.#open();
    const { id } = await client.createSession({ ...options, ...inputs, bindingId });
    return this.session(id, { onApproval, onSignIn, onClientTool });
  }

  /**
   * A handle on one of the agent's sessions, with handlers of its own where they are given. Asks nothing: whether there is
   * such a session, its first use tells.
   */
  session(sessionId: string, handlers: GivenHandlers = {}): Session<T> {
    const { client, bindingId } = this.#open();
    return client.session<T>(sessionId, { ...this.#handle, ...given(handlers), bindingId });
  }

  /**
   * Takes a stored session up where its process left it: an unfinished turn goes on, a question is open under its ID.
   * Where this agent is not what the turn was started with, the turn stays as it is and `parked` says what is missing.
   * @throws RondoError `session.not_found`, `session.in_use`, `session.config_mismatch`.
   */
  async openSession(sessionId: string, handlers: HandlerOptions = {}): Promise<OpenedSession<T>> {
    const { client, bindingId } = this.#open();
    const { openTurn, ...opened } = await client.openSession(sessionId, { bindingId, unfinished: 'continue' });
    const session = this.session(sessionId, handlers);
    return { ...opened, session, ...(openTurn === undefined ? {} : { openTurn: session.turn(openTurn.id) }) };
  }

  /** The agent's sessions, the one that was last at work first, read page by page. */
  async *sessions(options: RequestOptions = {}): AsyncGenerator<SessionInfo, void> {
    for await (const info of this.#open().client.listSessions(options)) if (info.agentName === this.name) yield info;
  }

  /** Gives every session up. A turn at work is cut off; whoever opens its session next settles it. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#place?.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** For hosts that serve the agent: `loadAgents` reads it. */
  get [agentDefinition](): AgentOptions<T> {
    return this.#options;
  }

  #open(): AgentPlace {
    if (this.#closed)
      throw new RondoError('channel.closed', `the agent ${this.name} was closed; make another one to go on`);
    this.#place ??= openAgentPlace(this.#options);
    return this.#place;
  }
}

type GivenHandlers = { readonly [Name in keyof HandlerOptions]: HandlerOptions[Name] | undefined };

/** The handlers that are there. */
function given({ onApproval, onSignIn, onClientTool }: GivenHandlers): HandlerOptions {
  return {
    ...(onApproval === undefined ? {} : { onApproval }),
    ...(onSignIn === undefined ? {} : { onSignIn }),
    ...(onClientTool === undefined ? {} : { onClientTool }),
  };
}
