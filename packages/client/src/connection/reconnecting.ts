import type { MethodName, MethodParams, MethodResult } from '@rondo/protocol';
import type { RondoError } from '@rondo/protocol/values';
import type { Clock } from './clock.ts';
import type { ConnectionStatus } from './connection-status.ts';
import { createHookDesk } from '../hooks/hook-desk.ts';
import type { Connection, RequestOptions } from './connection.ts';
import { createHeldRequests } from './held-requests.ts';
import { closedError, type Link } from './link.ts';
import { type ChannelOpener, openLink } from './open-link.ts';
import { createStandingSubscriptions } from './standing-subscriptions.ts';

export interface ReconnectingOptions {
  readonly open: ChannelOpener;
  /** What this client calls itself to the host. */
  readonly name: string;
  /** Sent with the greeting. */
  readonly token?: string | undefined;
  /**
   * How long to wait before each try to open a lost channel again. They begin anew once something has come through.
   * Undefined: a lost channel is the end.
   */
  readonly delaysMs: Iterable<number> | undefined;
  readonly clock: Clock;
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly newId: () => string;
  readonly onStatus?: ((status: ConnectionStatus) => void) | undefined;
}

/**
 * A connection that opens its channel with the first call that needs it, and again when it is lost. Subscriptions go on
 * behind the last durable event they handed out; what each request does that was on its way stands in `whenLost`. The
 * first opening is tried once, so that a wrong address shows at once.
 */
export function createReconnectingConnection(options: ReconnectingOptions): Connection {
  const { clock, random } = options;
  const over = new AbortController();
  const { promise: closed, resolve: resolveClosed } = Promise.withResolvers<void>();
  let link: Link | undefined;
  let isOpening = false;
  let hasBeenOpen = false;
  let delays: Iterator<number> | undefined;
  let failure: RondoError<string> | undefined;

  const onProgress = (): void => {
    delays = undefined;
  };
  const hooks = createHookDesk();
  const requests = createHeldRequests({ newId: options.newId, onNeed: openSoon, onProgress });
  const subscriptions = createStandingSubscriptions({ onProgress });

  function show(status: ConnectionStatus): void {
    const { onStatus } = options;
    // What it throws is its own bug, and not a state of ours.
    if (onStatus !== undefined) queueMicrotask(() => onStatus(status));
  }

  /** The link, where one is open; else one is on its way, and takes up what is held. */
  function openSoon(): void {
    if (link !== undefined || isOpening || failure !== undefined) return;
    isOpening = true;
    void open();
  }

  async function open(error?: RondoError<string>): Promise<void> {
    let last = error;
    while (failure === undefined) {
      if (last !== undefined && !(await wait(last))) return;
      show({ type: 'connecting' });
      try {
        use(await openLink({ ...options, hooks, signal: over.signal, onEnd: lost }));
        return;
      } catch (problem) {
        last = problem as RondoError<string>;
      }
    }
  }

  /** Waits for the next try after an error. False when there is none, and everything that waits has been told. */
  async function wait(error: RondoError<string>): Promise<boolean> {
    if (failure !== undefined) return false;
    delays ??= options.delaysMs?.[Symbol.iterator]();
    const next = hasBeenOpen && isPassing(error) ? delays?.next() : undefined;
    if (next === undefined || next.done === true) {
      fail(error);
      return false;
    }
    // Many clients of one host come back spread over the delay's second half.
    const retryInMs = Math.round(next.value * (0.5 + random() / 2));
    show({ type: 'waiting', error, retryInMs });
    await clock.sleep(retryInMs, { signal: over.signal }).catch(() => {});
    return !over.signal.aborted;
  }

  function use(opened: Link): void {
    isOpening = false;
    if (failure !== undefined) {
      opened.close();
      return;
    }
    hasBeenOpen = true;
    link = opened;
    const ended = opened.ended();
    if (ended !== undefined) {
      lost(ended);
      return;
    }
    show({ type: 'connected' });
    // What fails here is told by the requests that name the binding.
    for (const binding of hooks.kept) opened.ask('capability/bind', binding).catch(() => {});
    subscriptions.attach(opened);
    requests.send(opened);
  }

  /** The end of a link that was in use, or of one that never came to be. */
  function lost(error: RondoError<string>): void {
    if (link === undefined || failure !== undefined) return;
    requests.lost(link, error);
    link = undefined;
    const isNeeded = requests.size > 0 || subscriptions.size > 0;
    if (!isNeeded && isPassing(error) && options.delaysMs !== undefined) {
      show({ type: 'idle', error });
      return;
    }
    isOpening = true;
    void open(error);
  }

  function fail(error: RondoError<string>, status: ConnectionStatus = { type: 'closed', error }): void {
    if (failure !== undefined) return;
    failure = error;
    over.abort(error);
    link?.close();
    link = undefined;
    requests.fail(error);
    subscriptions.fail(error);
    show(status);
    resolveClosed();
  }

  return {
    request<Method extends MethodName>(method: Method, params: MethodParams<Method>, { signal }: RequestOptions = {}) {
      if (failure !== undefined) return Promise.reject(failure);
      return requests.hold(method, params, signal) as Promise<MethodResult<Method>>;
    },
    subscribe(params, sink) {
      if (failure !== undefined) {
        sink.lost(failure);
        return () => {};
      }
      const leave = subscriptions.stand(params, sink, link);
      openSoon();
      return leave;
    },
    hooks,
    closed,
    close: () => fail(closedError(), { type: 'closed' }),
  };
}

/** Whether another channel may do better. After a frame that was too large it does, without that frame. */
function isPassing(error: RondoError<string>): boolean {
  return error.retryable || error.code === 'protocol.frame_too_large';
}
