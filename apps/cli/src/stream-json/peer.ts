import { randomUUID } from 'node:crypto';
import { isRondoError, RondoError } from '@rondo/protocol/values';
import { type Options, type Query, query, type SDKMessage } from '@rondo/sdk';
import type { ChatRequest } from '../command/chat-request.ts';
import type { CommandContext } from '../command/command-context.ts';
import { problemOf } from '../command/problem.ts';
import { failureResult } from '../headless/output.ts';
import type { TextWriter } from '../process/text-writer.ts';
import { clientHooks, type ClientHooks } from './client-hooks.ts';
import { createClientRequests, type RequestFrame } from './client-requests.ts';
import { createClientServers } from './client-servers.ts';
import { createControlDesk } from './control-desk.ts';
import { control } from './control-requests.ts';
import { initializeAnswer } from './initialize-answer.ts';
import { createFrameWriter } from './frame-writer.ts';
import { createMessageQueue } from './message-queue.ts';
import { createAskingWatch, isBlockedBy, type LeftQuestion, leftQuestions } from './left-questions.ts';
import { peerOptions } from './peer-options.ts';
import type { Frame } from './read-frames.ts';
import { createSessionFacts, stateLines } from './session-facts.ts';

/** The session of one client, at this end of the wire. */
export interface Peer {
  /** @throws Error for a frame that cannot be what it says it is. */
  take(frame: Frame): void;
  /** Resolves once the client has read enough of what it was told to be listened to again. */
  room(): Promise<void>;
  /** The client says no more: what was asked is done, then it is over. */
  end(): void;
  /** What the client says cannot be understood: nothing more is done. */
  fail(error: unknown): void;
  /** A signal came: the turn is interrupted, and what waits is not begun. */
  stop(): void;
  /** Resolves once all is done and told. */
  readonly over: Promise<void>;
  readonly exitCode: number;
}

export interface PeerParts {
  readonly request: ChatRequest;
  readonly context: CommandContext;
  readonly stdout: TextWriter;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** A query at work, and what it was started with. */
interface Work {
  readonly query: Query;
  readonly hooks: ClientHooks;
  /** By `initialize`; otherwise without one. */
  readonly isInitialized: boolean;
  readonly left: readonly LeftQuestion[];
}

export function createPeer({ request, context, stdout, env = process.env }: PeerParts): Peer {
  const over = Promise.withResolvers<void>();
  const asksClient = request.permissionPromptTool === 'stdio';
  const tellsStates = env['CLAUDE_CODE_SDK_READS_SESSION_STATE'] === '1';
  /** Questions are kept for the answer to `initialize` while one is being made. */
  let isInitializing = false;
  let work: Promise<Work> | undefined;
  let exitCode = 0;
  let hasShown = false;
  let hasResult = false;
  let hasSent = false;
  /** No answer of the client can come any more. */
  let isDeaf = false;
  /** The questions that the session was given up with. */
  let leftOpen: readonly RequestFrame[] | undefined;

  const { write, room } = createFrameWriter({ stdout, onWrite: (frame) => context.debug.write('write', frame) });
  const requests = createClientRequests((frame) => {
    if (leftOpen !== undefined) return;
    if (!isQuestion(frame)) return void write(frame);
    asking.look();
    if (isInitializing) return;
    void writeStates();
    void write(frame);
    leaveIfBlocked();
  });
  const questions = (): readonly RequestFrame[] => requests.open('can_use_tool');
  const asking = createAskingWatch({
    isAsked: (id) => hasSent || questions().some((frame) => frame.request_id === id),
    over: over.promise,
  });
  const facts = createSessionFacts({
    sessionId: request.forkSession ? request.sessionId : (request.sessionId ?? request.resume),
    questions: () => questions().length,
  });
  const tellState = stateLines(facts);
  const messages = createMessageQueue((uuid) => {
    hasSent = true;
    facts.sent(uuid);
    void writeStates();
  });
  const servers = createClientServers(requests);
  const desk = createControlDesk({ write, answer });

  /** States begin with the first line of the session, which says its name. */
  async function writeStates(): Promise<void> {
    if (!tellsStates || !hasShown) return;
    for (const line of tellState()) await write(line);
  }

  /** That this process goes away; only where the client knows of a session. */
  async function writeLeaving(): Promise<void> {
    const { sessionId } = facts;
    if (!hasShown || sessionId === undefined) return;
    const line: SDKMessage = {
      type: 'system',
      subtype: 'worker_shutting_down',
      uuid: randomUUID(),
      session_id: sessionId,
      reason: 'host_exit',
    };
    await write(line);
  }

  function begin(initialize?: Frame): Promise<Work> {
    work ??= start(initialize);
    return work;
  }

  async function start(initialize: Frame | undefined): Promise<Work> {
    try {
      const hooks = clientHooks(initialize?.['hooks'], requests);
      const left = asksClient ? await leftQuestions(request) : [];
      facts.left(left.map(({ toolUseId }) => toolUseId));
      const started = query({ prompt: messages, options: await optionsOf(initialize ?? {}, hooks) });
      void follow(started);
      return { query: started, hooks, left, isInitialized: initialize !== undefined };
    } catch (error) {
      // It waits for the requests that wait for this.
      void finish(() => failed(error));
      throw error;
    }
  }

  function optionsOf(initialize: Frame, { hooks }: ClientHooks): Promise<Options> {
    return peerOptions({
      request,
      initialize,
      env,
      hooks,
      mcpServers: servers.fromInitialize(initialize, request.further['mcpServers']),
      note: context.say,
      requests,
      asking: asksClient ? { untilShown: facts.untilShown, onClosed: () => void writeStates() } : undefined,
    });
  }

  /** Takes a session's lines to the client, to the end. */
  async function follow(started: Query): Promise<void> {
    try {
      for await (const line of started) {
        await desk.released();
        await show(line);
        leaveIfBlocked();
      }
      await finish(sayWhatIsLeft);
    } catch (error) {
      await finish(() => failed(error));
    }
  }

  async function show(line: SDKMessage): Promise<void> {
    // States are told from here, where it is known what the client still has to answer.
    if (line.type === 'system' && line.subtype === 'session_state_changed') return;
    hasShown = true;
    // The beginning of a turn is told before it is shown, everything else once it has been.
    if (line.type === 'system') await seen(line);
    if (line.type === 'result') {
      hasResult = true;
      exitCode = line.is_error ? 1 : 0;
    }
    if (line.type !== 'command_lifecycle' || messages.isNamed(line.command_uuid)) await write(line);
    if (line.type !== 'system') await seen(line);
  }

  async function seen(line: SDKMessage): Promise<void> {
    facts.see(line);
    await writeStates();
  }

  /**
   * Nobody can answer a question any more, and nothing else is at work: the session is given up with the question open. A client
   * that resumes it is asked again.
   */
  function leaveIfBlocked(): void {
    const open = questions();
    if (!isDeaf || leftOpen !== undefined || open.length === 0) return;
    if (!isBlockedBy(open, facts.openCalls)) return;
    leftOpen = open;
    exitCode = 1;
    void work?.then(({ query: started }) => started.leave()).catch(() => {});
  }

  async function sayWhatIsLeft(): Promise<void> {
    if (leftOpen === undefined) return;
    const ids = leftOpen.map(({ request_id: id }) => id).join(', ');
    context.say(`Session ${facts.sessionId} waits for an answer to question ${ids}: --resume asks it again.`);
  }

  /** What came in place of a result, or behind it. */
  async function failed(error: unknown): Promise<void> {
    context.debug.write('error', error);
    const isUsage = !hasSent && isUsageError(error);
    const { message } = problemOf(error);
    context.say(message);
    exitCode = isUsage ? 2 : 1;
    if (!isUsage && !hasResult)
      await write(failureResult(context.redact(message), facts.sessionId ?? request.sessionId));
  }

  async function finish(lastWords: () => Promise<void>): Promise<void> {
    messages.end('drop');
    requests.end();
    await lastWords();
    await desk.settled();
    if (tellsStates && hasShown) for (const line of tellState('idle')) await write(line);
    over.resolve();
  }

  async function answer(subtype: string, fields: Frame): Promise<object> {
    if (subtype === 'initialize') return await initialize(fields);
    if (subtype === 'end_input') return endMessages();
    const { query: started } = await begin();
    const { fromControl: serversOf, receive } = servers;
    const response = await control(subtype, fields, { query: started, serversOf, receive });
    const told = subtype === 'interrupt' ? namedOnly(response) : response;
    return told === undefined ? {} : { response: told };
  }

  /** No more messages come, but the client still answers what it is asked. */
  function endMessages(): object {
    messages.end();
    if (work === undefined) void Promise.resolve().then(desk.settled).then(over.resolve);
    return {};
  }

  /** The client knows of the messages that it named. */
  function namedOnly(receipt: { still_queued?: string[]; cancelled?: string[] } = {}): object {
    const { still_queued: queued = [], cancelled } = receipt;
    return {
      still_queued: queued.filter(messages.isNamed),
      ...(cancelled === undefined ? {} : { cancelled: cancelled.filter(messages.isNamed) }),
    };
  }

  async function initialize(fields: Frame): Promise<object> {
    const isFirst = work === undefined;
    if (isFirst) isInitializing = true;
    try {
      const started = await begin(fields);
      if (!isFirst) renew(started, fields);
      // What the session offers once it is open, whose failure is the answer too.
      const offered = await started.query.reinitialize();
      // A client that resumes a session finds the questions that wait in it beside this answer.
      if (isFirst) await asking.untilAsked(started.left);
      isInitializing = false;
      const pending = questions();
      return {
        response: initializeAnswer(offered, { facts, isMirrored: request.sessionMirror }),
        pending_permission_requests: pending,
        pending_user_dialog_requests: [],
      };
    } catch (error) {
      if (isFirst && isInitializing) {
        isInitializing = false;
        for (const frame of questions()) await write(frame);
      }
      throw error;
    } finally {
      if (isFirst) void writeStates();
    }
  }

  /** A session that began without them cannot take functions and servers of its client any more. */
  function renew(started: Work, fields: Frame): void {
    const late = ['hooks', 'sdkMcpServers'].find((name) => Object.keys(fields[name] ?? {}).length > 0);
    if (!started.isInitialized && late !== undefined)
      throw new RondoError(
        'input.invalid',
        `initialize.${late} comes too late: the session has begun without initialize.`,
      );
    if (fields['hooks'] !== undefined) started.hooks.renew(fields['hooks']);
  }

  function withQuery(act: (started: Query) => void): void {
    if (work === undefined) over.resolve();
    // What kept it from being started has been told.
    else work.then(({ query: started }) => act(started)).catch(() => {});
  }

  return {
    over: over.promise,
    room,
    get exitCode() {
      return exitCode;
    },
    take(frame) {
      if (frame['type'] === 'user') {
        messages.send(frame);
        begin().catch(() => {});
      } else if (frame['type'] === 'control_response') requests.answer(frame);
      else if (frame['type'] === 'control_cancel_request') desk.cancel(frame['request_id']);
      else if (frame['type'] === 'control_request') desk.take(frame);
    },
    end() {
      isDeaf = true;
      messages.end();
      requests.end();
      if (work === undefined) over.resolve();
      else leaveIfBlocked();
    },
    fail(error) {
      context.say(error instanceof Error ? error.message : String(error));
      exitCode = 1;
      withQuery((started) => started.close());
    },
    stop() {
      void writeLeaving();
      isDeaf = true;
      messages.end('drop');
      leaveIfBlocked();
      if (leftOpen === undefined)
        withQuery((started) => void started.interrupt({ cancelQueued: true }).catch(() => {}));
    },
  };
}

function isQuestion(frame: object): boolean {
  const { request } = frame as { request?: { subtype?: string } };
  return request?.subtype === 'can_use_tool';
}

/** What whoever wrote the command line has to change. */
function isUsageError(error: unknown): boolean {
  return isRondoError(error) && (error.code === 'input.invalid' || error.code === 'session.exists');
}
