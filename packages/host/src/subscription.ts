import type { Frame, JsonValue, MethodParams, MethodResult } from '@rondo/protocol';
import { RondoError, type RondoErrorJson } from '@rondo/protocol/values';
import type { EventBatch } from '@rondo/runtime';
import type { ServedRuntime } from './access/served-runtime.ts';
import { describeError, type ReportBug } from './error-frame.ts';
import { followEvents } from './follow-events.ts';
import type { Link } from './link.ts';

/** The subscriptions of one connection. */
export interface Subscriptions {
  /**
   * Answers at once. Events follow as `events/item` when the answer is out and `begin` says so; what is wrong with the
   * session or the cursor comes as `events/end`.
   */
  open(params: MethodParams<'events/subscribe'>): MethodResult<'events/subscribe'>;
  /** Starts a subscription that was opened. */
  begin(subscriptionId: string): void;
  /** Nothing more of the subscription is sent, not even its end. One that is not open is no mistake: it may just have ended. */
  close(params: MethodParams<'events/unsubscribe'>): MethodResult<'events/unsubscribe'>;
  /** Ends them all without a word, for a channel that is gone. Resolves when the runtime has let go of each. */
  abandon(): Promise<void>;
}

export interface SubscriptionOptions {
  readonly runtime: ServedRuntime;
  readonly link: Link;
  /** How many may be open at once. */
  readonly most: number;
  readonly report: ReportBug;
}

export function createSubscriptions({ runtime, link, most, report }: SubscriptionOptions): Subscriptions {
  const open = new Map<string, AbortController>();
  const running = new Set<Promise<void>>();
  const opened = new Map<string, () => Promise<void>>();

  async function follow(params: MethodParams<'events/subscribe'>, controller: AbortController): Promise<void> {
    const { subscriptionId, sessionId, after, fromTurn, deltas } = params;
    const { signal } = controller;
    let error: RondoErrorJson | undefined;
    try {
      const batches = runtime.subscribe(sessionId, {
        signal,
        ...(after === undefined ? {} : { after }),
        ...(fromTurn === undefined ? {} : { fromTurn }),
        ...(deltas === undefined ? {} : { deltas }),
      });
      const write = (events: EventBatch): void => link.send(item(subscriptionId, events));
      await followEvents(batches, { write, room: link.room, mostEvents: link.mostEvents, signal });
    } catch (thrown) {
      if (signal.aborted) return;
      error = describeError(thrown, (bug) => report(bug, 'events/subscribe'));
    }
    if (signal.aborted) return;
    open.delete(subscriptionId);
    link.send(end(subscriptionId, error));
  }

  return {
    open(params) {
      const { subscriptionId } = params;
      if (open.has(subscriptionId)) {
        throw new RondoError(
          'protocol.params_invalid',
          `subscriptionId: "${subscriptionId}" is open on this connection already`,
          {
            details: { field: 'subscriptionId' },
          },
        );
      }
      if (open.size >= most) {
        throw new RondoError(
          'protocol.queue_full',
          `${most} subscriptions are open on this connection; leave one, and send this request again`,
          { details: { subscriptions: most } },
        );
      }
      const controller = new AbortController();
      open.set(subscriptionId, controller);
      opened.set(subscriptionId, () => follow(params, controller));
      return { subscriptionId };
    },
    begin(subscriptionId) {
      const start = opened.get(subscriptionId);
      if (start === undefined) return;
      opened.delete(subscriptionId);
      const run = start().finally(() => running.delete(run));
      running.add(run);
    },
    close({ subscriptionId }) {
      open.get(subscriptionId)?.abort(unsubscribed);
      open.delete(subscriptionId);
      opened.delete(subscriptionId);
      return {};
    },
    async abandon() {
      for (const controller of open.values()) controller.abort(unsubscribed);
      open.clear();
      opened.clear();
      await Promise.allSettled(running);
    },
  };
}

/** Without a reason every subscription would pay for an exception and its stack. */
const unsubscribed = new RondoError('operation.aborted', 'the subscription was closed');

function item(subscriptionId: string, events: EventBatch): Frame {
  return { jsonrpc: '2.0', method: 'events/item', params: { subscriptionId, events: events as JsonValue } };
}

function end(subscriptionId: string, error: RondoErrorJson | undefined): Frame {
  if (error === undefined) return { jsonrpc: '2.0', method: 'events/end', params: { subscriptionId } };
  return {
    jsonrpc: '2.0',
    method: 'events/end',
    params: { subscriptionId, error: { ...error, details: error.details ?? {} } },
  };
}
