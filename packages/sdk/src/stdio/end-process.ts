import type { Clock } from '@rondo/runtime';
import type { SpawnedProcess } from './spawned-process.ts';

const graceMs = 2000;
const lastGraceMs = 5000;

export interface EndProcessOptions {
  readonly process: SpawnedProcess;
  readonly exited: Promise<unknown>;
  readonly clock: Clock;
  /** Tells whoever started the process that it has to go. */
  readonly abort: () => void;
}

/**
 * Ends a process whose input is closed: it has two seconds to end by itself, is then told to, and five seconds later made
 * to. Resolves once it has ended or been told; the rest happens behind the caller's back.
 */
export async function endProcess({ process, exited, clock, abort }: EndProcessOptions): Promise<void> {
  if (await endsWithin(graceMs, exited, clock)) return;
  abort();
  if (!process.killed) process.kill('SIGTERM');
  void (async () => {
    if (!(await endsWithin(lastGraceMs, exited, clock))) process.kill('SIGKILL');
  })();
}

export async function endsWithin(milliseconds: number, ended: Promise<unknown>, clock: Clock): Promise<boolean> {
  const waiting = new AbortController();
  const asleep = clock.sleep(milliseconds, { signal: waiting.signal }).then(
    () => false,
    () => true,
  );
  const hasEnded = await Promise.race([ended.then(() => true), asleep]);
  waiting.abort();
  return hasEnded;
}
