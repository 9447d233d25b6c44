/** With what a host closes a WebSocket. */
export const closeCodes = {
  /** The host is closing: connect again, to it or to the next. */
  goingAway: 1001,
  protocolError: 1002,
  notUtf8: 1007,
  /** A message above the bound. */
  tooLarge: 1009,
  /** No token, or nobody's. */
  unauthenticated: 4401,
} as const;
