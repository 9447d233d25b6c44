import type { Sandbox } from '@rondo/runtime';

let swept: Promise<unknown> | undefined;

/** This machine, with supervised processes. */
export async function loadSandbox(): Promise<Sandbox> {
  const { createLocalSandbox } = await import('@rondo/sandbox');
  const sandbox = createLocalSandbox();
  return {
    describe: () => sandbox.describe(),
    exec(command, options) {
      void sweepOrphanedCommands();
      return sandbox.exec(command, options);
    },
    processMark: async () => (await sandbox.processMark?.()) ?? {},
  };
}

/**
 * Ends what commands of dead runtimes left running: once a process, when it first runs a command or takes a session up.
 * Never rejects, and nobody has to wait for it.
 */
export function sweepOrphanedCommands(): Promise<unknown> {
  swept ??= import('@rondo/sandbox').then(({ endOrphanedCommands }) => endOrphanedCommands()).catch(() => 0);
  return swept;
}
