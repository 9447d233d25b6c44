/** Lets so many in at once; the others wait, first come, first served. */
export interface Turnstile {
  /** Undefined when there is room; else resolves when it is the caller's turn. Every entrance has one `leave`. */
  enter(): Promise<void> | undefined;
  leave(): void;
}

export function createTurnstile(most: number): Turnstile {
  let room = most;
  const waiting: (() => void)[] = [];
  return {
    enter() {
      if (room === 0) return new Promise((enter) => waiting.push(enter));
      room -= 1;
      return undefined;
    },
    leave() {
      const next = waiting.shift();
      if (next === undefined) room += 1;
      else next();
    },
  };
}
