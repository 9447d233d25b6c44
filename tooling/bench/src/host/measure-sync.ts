import { open, rm } from 'node:fs/promises';
import path from 'node:path';
import { quantile } from '../report/statistics.ts';

/** What making four kilobytes durable takes here, in milliseconds. */
export interface SyncCost {
  readonly median: number;
  readonly p99: number;
}

const syncs = 200;

/** Appends to a file of the folder and syncs it, again and again, as a log does. */
export async function measureSync(folder: string): Promise<SyncCost> {
  const name = path.join(folder, 'synced');
  const bytes = Buffer.alloc(4_096, 'log ');
  const times: number[] = [];
  {
    await using file = await open(name, 'w');
    for (let index = 0; index < syncs; index += 1) {
      await file.write(bytes);
      const startedAt = performance.now();
      await file.datasync();
      times.push(performance.now() - startedAt);
    }
  }
  await rm(name);
  return { median: quantile(times, 0.5), p99: quantile(times, 0.99) };
}
