/**
 * Does something in the next turn of the event loop. As the loop is when this is loaded: a test that holds the clocks of
 * its program would hold its sessions too.
 */
export const { setImmediate: afterThisTurn } = globalThis;
