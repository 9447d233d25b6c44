import { isOrphaned } from './command-marker.ts';
import { endProcesses } from './end-processes.ts';
import { readProcesses } from './process-table.ts';
import { deadRuntimes, forgetRuntimes } from './runtime-record.ts';

/**
 * Ends processes of commands whose runtime died without ending them (SIGKILL, power of the OOM killer), whoever it
 * was, as long as they run as this user and in this process namespace. Commands of living runtimes are left alone.
 * Returns how many were ended; 0 where there is no /proc. For a host to call once, off its start-up path.
 */
export async function endOrphanedCommands(): Promise<number> {
  const dead = await deadRuntimes();
  const find = () =>
    readProcesses()
      .filter(({ pid }) => isOrphaned(pid))
      .map(({ pid, start }) => ({ pid, start }));
  const ended = await endProcesses(find, { graceMs: 500, killMs: 2000 });
  await forgetRuntimes(dead);
  return ended;
}

/**
 * The same where some runtime is known to have died while it ran commands, else nothing: so cheap that every start can do
 * it.
 */
export async function endCommandsOfDeadRuntimes(): Promise<number> {
  return (await deadRuntimes()).length === 0 ? 0 : endOrphanedCommands();
}
