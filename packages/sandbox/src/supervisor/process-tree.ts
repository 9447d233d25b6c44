import { setTimeout as delay } from 'node:timers/promises';
import { endProcesses, type EndTarget } from './end-processes.ts';
import {
  holdsOpenFile,
  readEnvironment,
  readNewestProcess,
  readOpenFile,
  readProcess,
  readProcesses,
  readProcessRange,
  readStart,
  type ProcessEntry,
} from './process-table.ts';

export interface ProcessTreeOptions {
  /** The command's shell, leader of its session and group. Just started, not yet waited for. */
  readonly root: number;
  /** Stands in the environment of the shell and of whatever inherited it. */
  readonly marker: string;
  readonly graceMs: number;
  /** The root ends by itself once the others did: it is not asked to, only killed when its time is over. */
  readonly spareRoot?: boolean;
}

/** Everything that a command started. */
export interface ProcessTree {
  /** Ends it all, the shell too when it still runs; returns how many processes that were. Bounded by grace and 2.5 s. */
  end(): Promise<number>;
  /** Ends what still holds the command's output although no other trace leads to it. */
  endHolders(): Promise<number>;
}

const killMs = 2500;
/** Too short a time for the IDs to have gone round. */
const shortMs = 200;
const mostRecent = 100;
/** On a busy machine somebody always forks. */
const mostLooks = 3;
/** Of 1, 2, 4 and so on, 31 ms in all: a process may have no environment for ever. */
const mostPauses = 5;

export function watchProcessTree({ root, marker, graceMs, spareRoot }: ProcessTreeOptions): ProcessTree {
  // It may have ended by now, and left others behind.
  const start = readStart(root);
  if (start === undefined) return watchProcessGroup(root, graceMs);
  const outputs = [1, 2]
    .flatMap((descriptor) => readOpenFile(root, descriptor) ?? [])
    .filter((file) => file.startsWith('socket:'));
  const ownGroup = readProcess('self')?.group;
  // A member stays one after its parents died and it became a child of init.
  const members = new Set<string>();

  // IDs are given out upwards: of a command that was short, all processes have one between its own and the newest.
  const startedAt = performance.now();
  const readCandidates = () => {
    const newest = readNewestProcess() ?? 0;
    const isShort = performance.now() - startedAt < shortMs && newest >= root && newest - root < mostRecent;
    return isShort ? readProcessRange(root, newest) : readProcesses();
  };
  const look = (isMember: (entry: ProcessEntry) => boolean): EndTarget[] => {
    const entries = readCandidates().filter((entry) => entry.start >= start);
    const found = new Map<number, ProcessEntry>();
    // The number of the shell may be in use again, but not while anybody is left in its session or group.
    const reused = entries.some((entry) => entry.pid === root && entry.start !== start);
    const inTree = (entry: ProcessEntry) => !reused && (entry.session === root || entry.group === root);
    for (const entry of entries) {
      if (members.has(keyOf(entry)) || inTree(entry) || isMember(entry)) found.set(entry.pid, entry);
    }
    addDescendants(entries, found);
    for (const entry of found.values()) members.add(keyOf(entry));
    // Whoever shares a group with a member was started by the command too: it leads its own session.
    return [...found.values()].map(({ pid, start, group }) => ({
      pid,
      start,
      ...(group === ownGroup ? {} : { group }),
      ...(spareRoot === true && pid === root ? { onlyKill: true as const } : {}),
    }));
  };
  /**
   * A process that forks and exits during a look can be missed with its child, and one that becomes another program shows
   * no environment for a moment: such a look is no proof of absence.
   */
  const find = async (isMember: (entry: ProcessEntry) => boolean): Promise<EndTarget[]> => {
    for (let looks = 1, pauses = 0; ; ) {
      const newest = readNewestProcess();
      unclear = false;
      const found = look(isMember);
      if (found.length > 0) return found;
      if (unclear && pauses < mostPauses) await delay(2 ** pauses++);
      else if (looks === mostLooks || readNewestProcess() === newest) return found;
      else looks += 1;
    }
  };
  let unclear = false;
  const belongs = ({ pid, group }: ProcessEntry) => {
    const environment = readEnvironment(pid);
    // The kernel's own threads, which have no group, never show any.
    if (environment?.length === 0 && group !== 0) unclear = true;
    return environment?.includes(marker) === true;
  };
  const holds = ({ pid }: ProcessEntry) => holdsOpenFile(pid, outputs);

  return {
    end: () => endProcesses(() => find(belongs), { graceMs, killMs }),
    endHolders: () =>
      outputs.length === 0 ? Promise.resolve(0) : endProcesses(() => find(holds), { graceMs: 0, killMs: 500 }),
  };
}

/** Without /proc only the group can be seen. Its ID is in use as long as a member lives. */
function watchProcessGroup(group: number, graceMs: number): ProcessTree {
  const find = (): EndTarget[] => {
    try {
      process.kill(-group, 0);
      return [{ pid: group, start: 0, group }];
    } catch {
      return [];
    }
  };
  return { end: () => endProcesses(find, { graceMs, killMs }), endHolders: () => Promise.resolve(0) };
}

function addDescendants(entries: readonly ProcessEntry[], found: Map<number, ProcessEntry>): void {
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const entry of entries) if (found.has(entry.parent)) found.set(entry.pid, entry);
  }
}

function keyOf({ pid, start }: ProcessEntry): string {
  return `${pid}:${start}`;
}
