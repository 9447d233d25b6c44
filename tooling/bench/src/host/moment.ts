/** How many pieces a reply has in its first two parts. */
export const replyPieces = { first: 100, burst: 100 } as const;

/** Microseconds on the system's monotonic clock, which every process of a machine reads alike. */
export function moment(): number {
  return Number(process.hrtime.bigint() / 1_000n);
}
