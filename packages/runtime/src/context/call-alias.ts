/** Names calls for the wire. The same calls in the same order get the same names, in every process. */
export interface CallAliases {
  /** The provider's ID where it is sendable and new, else the nearest name that is: `call-1` again is `call-1-2`. */
  next(toolCallId: string): string;
}

export function createCallAliases(): CallAliases {
  const used = new Set<string>();
  const repeats = new Map<string, number>();
  return {
    next(toolCallId) {
      const base = sendableId(toolCallId);
      let alias = base;
      for (let count = repeats.get(base) ?? 1; used.has(alias); ) {
        count += 1;
        repeats.set(base, count);
        const suffix = `-${count}`;
        alias = base.slice(0, 64 - suffix.length) + suffix;
      }
      used.add(alias);
      return alias;
    },
  };
}

/** The ID with what no provider takes replaced by `_`, cut at 64 characters. */
function sendableId(id: string): string {
  return id.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'call';
}
