import type { Clock, Runtime } from '@rondo/runtime';
import type { EdgeDecoder } from '../decode-params.ts';
import type { ReportBug } from '../error-frame.ts';
import type { HostLimits } from '../limits.ts';

/** What every connection of a host is served with. */
export interface Edge {
  readonly runtime: Runtime;
  readonly decode: EdgeDecoder;
  readonly limits: HostLimits;
  readonly clock: Clock;
  /** What the host calls itself. */
  readonly name: string;
  readonly report: ReportBug;
}

/** How many events one frame of a wire holds at most: the largest are 64 KiB each. */
export const FRAME_EVENTS = 64;

/** A connection that asks without reading is given up when this many times its requests are unread. */
export const UNREAD_FACTOR = 2;

/** Resolves when the work does, or that much later. */
export async function within(work: Promise<unknown>, milliseconds: number, clock: Clock): Promise<void> {
  const over = new AbortController();
  const late = clock.sleep(milliseconds, { signal: over.signal }).catch(() => {});
  await Promise.race([work, late]);
  over.abort();
}
