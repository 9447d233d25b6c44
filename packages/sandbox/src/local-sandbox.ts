import type { Sandbox } from '@rondo/runtime';
import type { LocalSandboxOptions } from './local-sandbox-options.ts';

/**
 * Runs commands on this machine as the user who runs Rondo: nothing is isolated. What it does promise is that a call
 * returns and that nothing of it stays. Each command gets a session and process group of its own and a marker in its
 * environment; when it has exited, or is ended by timeout or abort, every process that belongs to the group, descends
 * from the command, carries the marker or still holds its output is ended: SIGTERM, a short grace, SIGKILL, until a
 * look through /proc finds none.
 *
 * What can get away: a daemon that left the session, cleared its environment and closed the output before anybody
 * looked; a process of another user. Without /proc (macOS) only the process group is found.
 */
export function createLocalSandbox(options: LocalSandboxOptions = {}): Sandbox {
  return {
    async exec(command, commandOptions) {
      const { runCommand } = await import('./supervisor/run-command.ts');
      return runCommand(command, commandOptions, options);
    },
    async processMark() {
      const { createMarker, markerVariable } = await import('./supervisor/command-marker.ts');
      return { [markerVariable]: createMarker(process.env[markerVariable]).value };
    },
    describe: () => ({ name: 'none (processes are supervised, not isolated)', enforced: [] }),
  };
}
