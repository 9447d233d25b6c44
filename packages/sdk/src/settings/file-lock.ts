import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

/** Nobody needs as long to change a small file. */
const staleAfterMs = 10_000;
const longestWaitMs = 15_000;

/**
 * Works on a file while no other process, and nobody else here, does: as far as they go by this lock too.
 * @throws Error when somebody keeps it for too long, or the lock's folder cannot be written.
 */
export async function whileLocked<Result>(lock: string, work: () => Result | Promise<Result>): Promise<Result> {
  await take(lock);
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

async function take(lock: string): Promise<void> {
  const until = Date.now() + longestWaitMs;
  for (let pauseMs = 2; !taken(lock); pauseMs = Math.min(50, pauseMs * 2)) {
    if (Date.now() > until) throw new Error(`${lock} is kept by another process; remove it if that one is gone`);
    breakStale(lock);
    await wait(pauseMs);
  }
}

function taken(lock: string): boolean {
  try {
    const descriptor = openSync(lock, 'wx', 0o600);
    writeSync(descriptor, String(process.pid));
    closeSync(descriptor);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Of several that find it stale one moves it away; what that one then holds is looked at again, since another may have come. */
function breakStale(lock: string): void {
  if (!isStale(lock)) return;
  const aside = `${lock}.${randomUUID()}`;
  try {
    renameSync(lock, aside);
    rmSync(aside, { force: true });
  } catch {
    // Somebody else has moved it, or given it back.
  }
}

function isStale(lock: string): boolean {
  const stats = statSync(lock, { throwIfNoEntry: false });
  if (stats === undefined) return false;
  if (Date.now() - stats.mtimeMs > staleAfterMs) return true;
  try {
    const owner = Number(readFileSync(lock, 'utf8'));
    return owner > 0 && !isAlive(owner);
  } catch {
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
