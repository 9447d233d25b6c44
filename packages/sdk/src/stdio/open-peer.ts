import type { SDKControlInitializeResponse, SDKMessage, SDKResultMessage, SDKUserMessage } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import type { Clock } from '@rondo/runtime';
import { AbortError } from '../error/documented-errors.ts';
import { isRecord } from '../is-record.ts';
import type { Options } from '../options/options.ts';
import { createLineQueue } from '../run/line-queue.ts';
import type { Run } from '../run/start-run.ts';
import { takeUntil } from '../run/take-until.ts';
import { connectPeer, type PeerConnection } from './connect-peer.ts';
import { endsWithin } from './end-process.ts';
import { exitProblem } from './exit-problem.ts';
import { registerHooks } from './hook-registry.ts';
import { asksForTurn, createInputEnd } from './input-end.ts';
import type { Frame } from './json-line.ts';
import { peerMethods, splitServers } from './peer-methods.ts';
import { createPeerStore } from './peer-store.ts';
import { peerTime } from './peer-time.ts';

export interface PeerParts {
  readonly clock?: Clock;
}

/** A peer process, from its start on. */
export interface Peer {
  /** What it answered to the first `initialize`. Rejects when it ends without one. */
  readonly initialized: Promise<SDKControlInitializeResponse>;
  start(prompt: string | AsyncIterable<SDKUserMessage>): Run;
  stop(error?: unknown): Promise<void>;
}

/** How long what a process has written may still be on its way when it is gone: others may hold its output open. */
const lastLinesMs = 1000;

/** What a peer names among its capabilities that can be told of the end of messages, and be answered on until it ends. */
const endsByWord = 'end_input_v1';

/** Starts a peer. What keeps it from starting, or ends it, comes out of the run. */
export function openPeer(options: Options, { clock = peerTime }: PeerParts = {}): Peer {
  const hooks = registerHooks(options.hooks);
  const { own } = splitServers(options.mcpServers ?? {});
  const store = createPeerStore(options);
  /** The peer has said that it mirrors its session to the store: it is answered to its end. */
  let isMirrored = false;
  /** What it asks at its end, as hooks of a session's end, is answered: its input stays open until then. */
  let isAnsweredToEnd = false;
  const lines = createLineQueue<SDKMessage>();
  const over = Promise.withResolvers<void>();
  const initialized = Promise.withResolvers<SDKControlInitializeResponse>();
  initialized.promise.catch(() => {});
  const { signal } = options.abortController ?? {};
  const inputEnd = createInputEnd({
    hasCallbacks: hasCallbacks(options),
    close: () => (isMirrored || isAnsweredToEnd ? peer?.wire.endMessages() : peer?.wire.closeInput()),
  });
  let lastInitialized = initialized.promise;
  let lastResult: SDKResultMessage | undefined;
  let stopping: Promise<void> | undefined;
  let hasPrompt = false;

  const peer = connect();
  /** The first line is on its way. */
  const greeted = peer === undefined ? Promise.resolve() : greet(peer);
  const finished = peer === undefined ? Promise.resolve() : finish(peer);
  const onAbort = (): void => void stop(abortError());
  if (peer !== undefined) signal?.addEventListener('abort', onAbort, { once: true });

  function connect(): PeerConnection | undefined {
    try {
      if (signal?.aborted === true) throw abortError();
      const onFault = (error: unknown): void => void stop(error);
      return connectPeer(options, { clock, hooks, servers: own, store, onMessage: see, onFault });
    } catch (error) {
      initialized.reject(error);
      lines.end(error);
      over.resolve();
      return undefined;
    }
  }

  function abortError(): AbortError {
    return new AbortError('the query was aborted by user', { cause: signal?.reason });
  }

  function greet({ initialize, wire }: PeerConnection): Promise<void> {
    const ready = Promise.withResolvers<void>();
    ready.promise.catch(() => {});
    // With a store nothing is said before it is known that it will be mirrored.
    initialize(store === undefined ? ready.resolve : undefined)
      .then((answer) => {
        const fields = isRecord(answer['response']) ? answer['response'] : {};
        store?.check(fields);
        isMirrored = store !== undefined;
        isAnsweredToEnd = hasCallbacks(options) && names(fields['capabilities'], endsByWord);
        initialized.resolve(initializeResponse(fields));
        inputEnd.initialized(fields);
        askPending(wire, answer);
        ready.resolve();
      })
      .catch((error: unknown) => {
        const problem = store?.failure ?? error;
        initialized.reject(problem);
        // A peer that does not know the request may still answer messages.
        inputEnd.initialized(undefined);
        if (store === undefined) ready.resolve();
        else ready.reject(problem);
      });
    return ready.promise;
  }

  async function reinitialize(): Promise<SDKControlInitializeResponse> {
    const { initialize, wire } = needPeer();
    const answer = await initialize();
    lastInitialized = Promise.resolve(initializeResponse(isRecord(answer['response']) ? answer['response'] : {}));
    askPending(wire, answer);
    return await lastInitialized;
  }

  async function finish({ exited, wire, servers, stderr, end }: PeerConnection): Promise<void> {
    // One that has closed its output has said all that it will.
    void wire.outputEnded.then(() => end());
    const exit = await exited;
    await endsWithin(lastLinesMs, wire.outputEnded, clock);
    over.resolve();
    const isUnmirrored = store !== undefined && !isMirrored;
    const problem =
      exitProblem(exit, lastResult, stderr()) ??
      (isUnmirrored
        ? new RondoError('store.unavailable', 'the peer process ended before it mirrored anything')
        : undefined);
    initialized.reject(problem ?? new RondoError('channel.closed', 'the peer process ended before it was ready'));
    wire.close();
    servers.close();
    signal?.removeEventListener('abort', onAbort);
    lines.end(problem);
  }

  function see(given: Frame): void {
    const line = store?.shown(given) ?? given;
    inputEnd.saw(line);
    // Whoever asks for the states is the host that the line is for.
    const { sdk_host_only: isForHost, ...shown } = line;
    if (isForHost === true && (options.sessionStates !== true || line['subtype'] !== 'session_state_changed')) return;
    // Lines of a newer peer are handed on as they are; whoever reads them looks at their type first.
    const message = shown as unknown as SDKMessage;
    if (message.type === 'result') lastResult = message;
    lines.put([message]);
  }

  function stop(error?: unknown): Promise<void> {
    if (stopping === undefined) {
      over.resolve();
      stopping = endPeer();
      lines.drop(error, stopping);
    }
    return stopping;
  }

  async function endPeer(): Promise<void> {
    if (peer === undefined) return;
    // What was said until now is still to be mirrored.
    peer.wire.close(isMirrored ? Object.keys(store?.answers ?? {}) : []);
    await Promise.race([finished, peer.end(isMirrored ? 'answering' : undefined)]);
  }

  async function speak(prompt: string | AsyncIterable<SDKUserMessage>): Promise<void> {
    try {
      await greeted;
      if (typeof prompt === 'string') await sendMessage(textMessage(prompt));
      else await sendAll(prompt);
    } catch (error) {
      void stop(error);
    } finally {
      inputEnd.streamEnded();
    }
  }

  async function sendAll(stream: AsyncIterable<unknown>): Promise<void> {
    for await (const message of takeUntil(stream, over.promise)) await sendMessage(message);
  }

  async function sendMessage(message: unknown): Promise<void> {
    if (!isRecord(message)) throw new RondoError('input.invalid', 'the prompt gave something that is no user message.');
    if (asksForTurn(message)) inputEnd.sent();
    await peer?.wire.send(message);
  }

  async function say(stream: AsyncIterable<SDKUserMessage>): Promise<void> {
    const { wire } = needPeer();
    if (wire.isInputClosed) throw closed();
    inputEnd.streamBegan();
    try {
      await greeted;
      await sendAll(stream);
    } finally {
      inputEnd.streamEnded();
    }
  }

  function needPeer(): PeerConnection {
    if (peer === undefined) throw closed();
    return peer;
  }

  const methods = peerMethods({
    async request(subtype, fields) {
      const { wire } = needPeer();
      await greeted;
      const { response } = await wire.request(subtype, fields);
      return isRecord(response) ? response : undefined;
    },
    initialization: () => lastInitialized,
    reinitialize,
    replaceServers: (servers) => needPeer().servers.replace(servers),
    say,
  });

  return {
    initialized: initialized.promise,
    stop,
    start(prompt) {
      if (hasPrompt) throw new RondoError('input.invalid', 'a peer process that is ready takes one prompt.');
      hasPrompt = true;
      if (typeof prompt === 'string') inputEnd.isText();
      void speak(prompt);
      return { next: lines.next, stop, methods };
    },
  };
}

function hasCallbacks({ canUseTool, hooks, onElicitation, mcpServers }: Options): boolean {
  const servers = Object.values(mcpServers ?? {});
  return (
    canUseTool !== undefined ||
    onElicitation !== undefined ||
    Object.keys(hooks ?? {}).length > 0 ||
    servers.some((server) => server.type === 'sdk')
  );
}

function names(list: unknown, name: string): boolean {
  return Array.isArray(list) && list.includes(name);
}

function textMessage(text: string): object {
  return {
    type: 'user',
    session_id: '',
    message: { role: 'user', content: [{ type: 'text', text }] },
    parent_tool_use_id: null,
  };
}

/** What a peer says of itself is handed on as it came; an empty answer is one. */
function initializeResponse(fields: Frame): SDKControlInitializeResponse {
  return fields as unknown as SDKControlInitializeResponse;
}

function askPending({ ask }: PeerConnection['wire'], answer: Frame): void {
  const pending = answer['pending_permission_requests'];
  for (const frame of Array.isArray(pending) ? pending : []) if (isRecord(frame)) ask(frame);
}

function closed(): RondoError {
  return new RondoError('channel.closed', 'the query has ended: its peer reads nothing more', { retryable: false });
}
