/**
 * What sessions that open in the same moment look at together. They all see the same, as if they had looked one right after
 * the other.
 */
export interface OpeningMoment {
  /** What `look` finds. Until the moment is over it is not called again for what has the same name. */
  once<Found>(what: string, look: () => Found): Found;
  isOver(): boolean;
}

export interface PassingMoment extends OpeningMoment {
  /** From here on everybody looks for themselves. */
  pass(): void;
}

export function createMoment(): PassingMoment {
  let found: Map<string, unknown> | undefined = new Map();
  return {
    once<Found>(what: string, look: () => Found): Found {
      if (found === undefined) return look();
      if (found.has(what)) return found.get(what) as Found;
      const seen = look();
      found.set(what, seen);
      return seen;
    },
    isOver: () => found === undefined,
    pass() {
      found = undefined;
    },
  };
}
