import type { RondoError } from '@rondo/protocol/values';
import { behind, lastCursor } from '../stream/observe-events.ts';
import type { EventSink, SubscriptionParams } from './connection.ts';
import type { Link } from './link.ts';

/** Subscriptions that outlive the link they were opened on. */
export interface StandingSubscriptions {
  readonly size: number;
  /** Opens a subscription on the link, or on the next one. Returns the way to leave. */
  stand(params: SubscriptionParams, sink: EventSink, link?: Link): () => void;
  /** Opens every subscription on a new link, behind the last durable event it handed out. */
  attach(link: Link): void;
  /** There will be no other link. */
  fail(error: RondoError<string>): void;
}

interface Standing {
  readonly params: SubscriptionParams;
  readonly sink: EventSink;
  /** Of the last durable event that was handed out. */
  cursor: string | undefined;
  leave: (() => void) | undefined;
}

export function createStandingSubscriptions({
  onProgress,
}: {
  /** An event has come. */
  readonly onProgress: () => void;
}): StandingSubscriptions {
  const all = new Set<Standing>();

  function attachOne(standing: Standing, link: Link): void {
    const { params, sink, cursor } = standing;
    standing.leave = link.subscribe(behind(params, cursor), {
      events(batch) {
        onProgress();
        standing.cursor = lastCursor(batch) ?? standing.cursor;
        sink.events(batch);
      },
      end(error) {
        if (all.delete(standing)) sink.end(error);
      },
      lost() {
        standing.leave = undefined;
      },
    });
  }

  return {
    get size() {
      return all.size;
    },
    stand(params, sink, link) {
      const standing: Standing = { params, sink, cursor: undefined, leave: undefined };
      all.add(standing);
      if (link?.takesRequests() === true) attachOne(standing, link);
      return () => {
        if (all.delete(standing)) standing.leave?.();
      };
    },
    attach(link) {
      for (const standing of all) attachOne(standing, link);
    },
    fail(error) {
      const left = [...all];
      all.clear();
      for (const { sink } of left) sink.lost(error);
    },
  };
}
