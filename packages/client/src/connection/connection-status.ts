import type { RondoError } from '@rondo/protocol/values';

/** What a connection that opens its channel by itself is doing. */
export type ConnectionStatus =
  /** The channel is being opened. */
  | { readonly type: 'connecting' }
  /** The host has been greeted. */
  | { readonly type: 'connected' }
  /** The channel was lost, or could not be opened again; the next try is in so many milliseconds. */
  | { readonly type: 'waiting'; readonly error: RondoError<string>; readonly retryInMs: number }
  /** The channel was lost while nothing needed it; the next call opens it again. */
  | { readonly type: 'idle'; readonly error: RondoError<string> }
  /** Nothing more is sent: this client was closed, or `error` says why no channel can be opened. */
  | { readonly type: 'closed'; readonly error?: RondoError<string> };
