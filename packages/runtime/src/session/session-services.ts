import type { Clock } from '../event/clock.ts';
import type { EncodedEvent, EventStore } from '../event/event-store.ts';

/** What every session of a runtime shares. */
export interface SessionServices {
  readonly store: EventStore;
  readonly clock: Clock;
  readonly newId: () => string;
  /** 0 to 1. */
  readonly random: () => number;
  /** Hexadecimal. */
  readonly sha256: (text: string) => string;
  readonly resolvePath: (path: string) => Promise<string>;
  readonly foldCase: boolean;
  readonly host: { readonly id: string; readonly pid?: number };
  /** Moves what is too large for a line out of the event. */
  readonly spill: (sessionId: string, encoded: EncodedEvent) => EncodedEvent | Promise<EncodedEvent>;
  readonly readBlob: (sessionId: string, hash: string) => Promise<Uint8Array>;
}
