/**
 * The clocks as they are when this is loaded: a test that holds those of its program would hold its sessions too. The first
 * does something in the next turn of the event loop.
 */
export const { setImmediate: afterThisTurn, setTimeout: afterTime } = globalThis;
