/** One way in which something can go wrong, and what must hold all the same. */
export interface ChaosCase {
  /** Says what is done, so that one who reads a failure can do it again. */
  readonly name: string;
  /** No sample leaves it out. */
  readonly essential?: boolean;
  /** Rejects when what must hold does not. */
  run(): Promise<void>;
}

/** A kind of trouble, with every case of it. */
export interface ChaosFamily {
  readonly name: string;
  cases(): Promise<readonly ChaosCase[]>;
  /** How many run at once: more than one where a case waits for other processes. */
  readonly atOnce: number;
}
