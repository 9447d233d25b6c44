import type { MethodName, MethodParams, MethodResult, StreamEvent } from '@rondo/protocol';
import type { HookDesk } from '../hooks/hook-desk.ts';

export interface RequestOptions {
  /** Stops waiting for the answer. What was asked may still be done: nothing is sent. */
  readonly signal?: AbortSignal;
}

/** Where a subscription's events go. After `end` or `lost` nothing more comes. */
export interface EventSink {
  events(batch: readonly StreamEvent[]): void;
  /** The host ended the subscription: cleanly, or with what was wrong. Called once, unless the subscriber leaves first. */
  end(error?: unknown): void;
  /** There is no way to the host any more; what is observed goes on there. Comes instead of `end`. */
  lost(error: unknown): void;
}

export type SubscriptionParams = Omit<MethodParams<'events/subscribe'>, 'subscriptionId'>;

/** Requests and subscriptions at one host. */
export interface Connection {
  request<Method extends MethodName>(
    method: Method,
    params: MethodParams<Method>,
    options?: RequestOptions,
  ): Promise<MethodResult<Method>>;
  /** Returns the way to leave, which unsubscribes at once; calling it again, or after the end, does nothing. */
  subscribe(params: SubscriptionParams, sink: EventSink): () => void;
  /** The hooks that hosts may ask over it. */
  readonly hooks: HookDesk;
  /** Resolves when the connection is over. Never rejects. */
  readonly closed: Promise<void>;
  close(): void;
}
