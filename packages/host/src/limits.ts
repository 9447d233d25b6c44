/** What a host takes of each of its connections. */
export interface HostLimits {
  /** Bytes of one frame that comes in. 32 MiB unless said. */
  readonly frameBytes: number;
  /** Bytes on their way out, beyond which events wait in the log. 1 MiB unless said. */
  readonly queueBytes: number;
  /** Requests of one connection that are at work or whose response is unread. 1,024 unless said. */
  readonly requests: number;
  /** Bytes of those requests together; one alone may have all that a frame may. 64 MiB unless said. */
  readonly requestBytes: number;
  /** Sessions' events that one connection follows at once. 1,024 unless said. */
  readonly subscriptions: number;
  /** Connections at once. 4,096 unless said. */
  readonly connections: number;
  /** How long a close waits for requests at work, in milliseconds. Five seconds unless said. */
  readonly closeMs: number;
}

export const defaultLimits: HostLimits = {
  frameBytes: 32 * 1024 * 1024,
  queueBytes: 1024 * 1024,
  requests: 1024,
  requestBytes: 64 * 1024 * 1024,
  subscriptions: 1024,
  connections: 4096,
  closeMs: 5000,
};
