import { setTimeout as delay } from 'node:timers/promises';

/** A process to be ended, or a whole group of which every member is to be ended. */
export interface EndTarget {
  readonly pid: number;
  readonly start: number;
  /** The process group, where every process in it is a target. */
  readonly group?: number;
  /** It is left to end by itself until the grace is over. */
  readonly onlyKill?: true;
}

export interface EndOptions {
  /** From SIGTERM to SIGKILL. */
  readonly graceMs: number;
  /** From SIGKILL until the rest is given up, which only a process stuck in the kernel or of another user needs. */
  readonly killMs: number;
}

const pauses = [1, 2, 4, 8, 15, 25];

/**
 * Ends what `find` finds, and finds again until it finds nothing, because what is being ended may still fork. Returns
 * how many processes were ended. Takes no signal: it is itself the end and is bounded.
 */
export async function endProcesses(
  find: () => readonly EndTarget[] | Promise<readonly EndTarget[]>,
  options: EndOptions,
): Promise<number> {
  const seen = new Set<string>();
  let killing = false;
  let deadline = performance.now() + options.graceMs;
  for (let round = 0; ; round += 1) {
    const targets = await find();
    if (targets.length === 0) return seen.size;
    if (performance.now() >= deadline) {
      if (killing) return seen.size - targets.length;
      killing = true;
      round = 0;
      deadline = performance.now() + options.killMs;
    }
    if (killing) signalTargets(targets, 'SIGKILL');
    else {
      const fresh = targets.filter((target) => target.onlyKill !== true && !seen.has(keyOf(target)));
      signalTargets(fresh, 'SIGTERM');
      // A stopped process would keep SIGTERM waiting.
      signalTargets(fresh, 'SIGCONT');
    }
    for (const target of targets) seen.add(keyOf(target));
    await delay(pauses[Math.min(round, pauses.length - 1)]);
  }
}

function signalTargets(targets: readonly EndTarget[], signal: NodeJS.Signals): void {
  // A group is signalled as one, so that no member can fork in between.
  for (const id of new Set(targets.map(({ pid, group }) => (group === undefined ? pid : -group)))) {
    try {
      process.kill(id, signal);
    } catch {
      // Gone in the meantime, or not ours to signal: the next look tells.
    }
  }
}

function keyOf({ pid, start }: EndTarget): string {
  return `${pid}:${start}`;
}
