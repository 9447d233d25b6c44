import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from 'node:fs';

/** A live process as /proc shows it. Its ID may be used again; ID and start time together may not. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Clock ticks since boot. */
  readonly start: number;
}

const line = Buffer.allocUnsafe(1024);

/** The process, or undefined when it is gone, a zombie, or this system has no /proc. */
export function readProcess(pid: number | 'self'): ProcessEntry | undefined {
  const found = readStatus(pid);
  return found === undefined || 'ZX'.includes(found.state) ? undefined : found.entry;
}

/** When a process of our own started, also when it has ended and was not yet waited for. */
export function readStart(pid: number): number | undefined {
  return readStatus(pid)?.entry.start;
}

function readStatus(pid: number | 'self'): { readonly state: string; readonly entry: ProcessEntry } | undefined {
  let file: number;
  try {
    file = openSync(`/proc/${pid}/stat`, 'r');
  } catch {
    return undefined;
  }
  try {
    // The name in the second field may hold anything, blanks and parentheses too: the fields start after its last one.
    const text = line.toString('latin1', 0, readSync(file, line, 0, line.length, 0));
    const [state = '', parent, group, session, ...rest] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const entry = {
      pid: Number(pid === 'self' ? process.pid : pid),
      parent: Number(parent),
      group: Number(group),
      session: Number(session),
      start: Number(rest[15]),
    };
    return { state, entry };
  } catch {
    return undefined;
  } finally {
    closeSync(file);
  }
}

/** Every live process, this one left out; empty when this system has no /proc. */
export function readProcesses(): ProcessEntry[] {
  let names: string[];
  try {
    names = readdirSync('/proc');
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    const pid = Number(name);
    return Number.isInteger(pid) && pid !== process.pid ? (readProcess(pid) ?? []) : [];
  });
}

/** The live processes whose IDs lie in a range. */
export function readProcessRange(first: number, last: number): ProcessEntry[] {
  const processes: ProcessEntry[] = [];
  for (let pid = first; pid <= last; pid += 1) {
    const entry = readProcess(pid);
    if (entry !== undefined && !isThread(pid)) processes.push(entry);
  }
  return processes;
}

/** Threads have IDs of the same kind, which /proc does not list but answers to. */
function isThread(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/status`, 'latin1').includes(`\nTgid:\t${pid}\n`);
  } catch {
    return true;
  }
}

/** The ID that was given out last, to tell whether any process was made between two looks. */
export function readNewestProcess(): number | undefined {
  try {
    return Number(readFileSync('/proc/loadavg', 'latin1').trim().split(' ').at(-1));
  } catch {
    return undefined;
  }
}

/**
 * The environment a process was started with, as bytes; undefined when it may not be read. It is empty for the moment in
 * which the process becomes another program.
 */
export function readEnvironment(pid: number): Buffer | undefined {
  try {
    return readFileSync(`/proc/${pid}/environ`);
  } catch {
    return undefined;
  }
}

/** What an open file of a process is, e.g. `socket:[4711]`; undefined when that cannot be seen. */
export function readOpenFile(pid: number, descriptor: number | string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/fd/${descriptor}`);
  } catch {
    return undefined;
  }
}

/** True when the process has one of these files open. */
export function holdsOpenFile(pid: number, files: readonly string[]): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((descriptor) => {
      const file = readOpenFile(pid, descriptor);
      return file !== undefined && files.includes(file);
    });
  } catch {
    return false;
  }
}
