import { setImmediate } from 'node:timers/promises';

/** What this process holds once its garbage is gone. Needs `--expose-gc`. */
export async function memoryWithoutGarbage(): Promise<NodeJS.MemoryUsage> {
  if (globalThis.gc === undefined) throw new Error('Run this with --expose-gc: garbage would be counted otherwise.');
  // What finalizers and closing sockets let go is garbage only a turn of the loop later.
  for (let round = 0; round < 3; round += 1) {
    globalThis.gc();
    await setImmediate();
  }
  return process.memoryUsage();
}
