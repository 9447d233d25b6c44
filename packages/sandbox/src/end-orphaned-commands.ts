/**
 * Ends processes of commands whose runtime died without ending them (SIGKILL, power of the OOM killer), whoever it
 * was, as long as they run as this user and in this process namespace. Commands of living runtimes are left alone.
 * Returns how many were ended; 0 where there is no /proc. For a host to call once, off its start-up path.
 */
export async function endOrphanedCommands(): Promise<number> {
  const orphans = await import('./supervisor/end-orphaned-commands.ts');
  return await orphans.endOrphanedCommands();
}
