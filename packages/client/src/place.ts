import type { Connection } from './connection/connection.ts';

/** A session at one host, as its handles know it. */
export interface Place {
  readonly connection: Connection;
  readonly sessionId: string;
  /** Names the place that the sessions are in. */
  readonly home: string;
  /** Equal for the same session in the same place. */
  readonly key: string;
}
