/** What has come for a reader who has not taken it yet. */
export interface Backlog {
  add(count: number): void;
  take(count: number): void;
  /** Undefined while there is room for more; else resolves when half of what waits has been taken. */
  room(): Promise<void> | undefined;
}

/** As many deltas as a host keeps for who is behind. */
export const MOST_WAITING = 4096;

export function createBacklog(): Backlog {
  let waiting = 0;
  let room: PromiseWithResolvers<void> | undefined;
  return {
    add(count) {
      waiting += count;
    },
    take(count) {
      waiting -= count;
      if (room === undefined || waiting > MOST_WAITING / 2) return;
      room.resolve();
      room = undefined;
    },
    room() {
      if (waiting < MOST_WAITING) return undefined;
      room ??= Promise.withResolvers();
      return room.promise;
    },
  };
}
