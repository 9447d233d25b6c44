import { readFileSync } from 'node:fs';

export interface MemoryWatch extends Disposable {
  /** The largest resident set seen; undefined on systems without `/proc`. */
  readonly peakBytes: number | undefined;
}

const intervalMs = 4;

/**
 * Reads the kernel's own high-water mark of a process (`VmHWM`) again and again until it is gone. The mark only grows,
 * so what is lost is what a process gained in its last four milliseconds.
 */
export function watchMemory(findProcess: () => string | undefined): MemoryWatch {
  let peak: number | undefined;
  let id: string | undefined;
  const timer = setInterval(() => {
    id ??= findProcess();
    if (id === undefined) return;
    const bytes = residentPeak(id);
    if (bytes !== undefined && bytes > (peak ?? 0)) peak = bytes;
  }, intervalMs);
  return {
    get peakBytes() {
      return peak;
    },
    [Symbol.dispose]() {
      clearInterval(timer);
    },
  };
}

function residentPeak(id: string): number | undefined {
  try {
    const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${id}/status`, 'latin1'))?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1_024;
  } catch {
    return undefined;
  }
}
