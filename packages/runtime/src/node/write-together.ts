import { RondoError } from '@rondo/protocol/values';
import { afterThisTurn } from './after-this-turn.ts';

/** Writes what is asked for in one turn of the event loop together, in the order in which it was asked for. */
export type WriteTogether = <Result>(change: () => Result) => Promise<Result>;

/** One change. Its outcome is told once the whole has been written. */
interface Waiting {
  /** @returns tells whoever asked. @throws what keeps all of them from being written. */
  attempt(): () => void;
  fail(error: unknown): void;
}

/**
 * @param write does the work in one transaction, trying again as it sees fit: a change may be called more than once. A
 * change that throws a RondoError has written nothing, and fails alone; whatever else is thrown fails all that were
 * together.
 */
export function createWriteTogether(write: (work: () => void) => Promise<void>): WriteTogether {
  let waiting: Waiting[] = [];
  let isWriting = false;

  const writeWaiting = async (): Promise<void> => {
    const together = waiting;
    waiting = [];
    let tell: (() => void)[] = [];
    try {
      await write(() => {
        tell = together.map((each) => each.attempt());
      });
      for (const each of tell) each();
    } catch (error) {
      for (const each of together) each.fail(error);
    }
    isWriting = waiting.length > 0;
    if (isWriting) begin();
  };

  const begin = (): void => void afterThisTurn(() => void writeWaiting());

  return (change) =>
    new Promise((resolve, reject) => {
      waiting.push({
        attempt() {
          try {
            const result = change();
            return () => resolve(result);
          } catch (error) {
            if (error instanceof RondoError) return () => reject(error);
            throw error;
          }
        },
        fail: reject,
      });
      if (isWriting) return;
      isWriting = true;
      begin();
    });
}
