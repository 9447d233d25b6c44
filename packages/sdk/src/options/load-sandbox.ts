import type { PolicySandbox, Sandbox } from '@rondo/runtime';
import type { SandboxSettings } from '../settings/settings.ts';
import { loadSandboxes } from './load-package.ts';

let swept: Promise<unknown> | undefined;

export interface LoadSandboxOptions {
  readonly settings: SandboxSettings | undefined;
  /** The session's folder first. */
  readonly folders: readonly [string, ...string[]];
  readonly home?: string | undefined;
  /** Settings files and other places that no command may write. Absolute. */
  readonly protected?: readonly string[];
  /** Hears what a person may want to know. */
  readonly note: (text: string) => void;
}

/**
 * This machine, with supervised processes, which are isolated where the settings say so.
 * @throws RondoError `sandbox.unavailable` where that cannot be enforced.
 */
export async function loadSandbox(options?: LoadSandboxOptions): Promise<Sandbox> {
  const sandbox = await makeSandbox(options);
  return {
    ...sandbox,
    exec(command, commandOptions) {
      void sweepOrphanedCommands();
      return sandbox.exec(command, commandOptions);
    },
  };
}

async function makeSandbox(options: LoadSandboxOptions | undefined): Promise<Sandbox> {
  const { createIsolatedSandbox, createLocalSandbox } = await loadSandboxes();
  if (options?.settings?.enabled !== true) return createLocalSandbox();
  const { settings, folders, home, note } = options;
  return createIsolatedSandbox({
    settings,
    folders,
    note,
    mayRunOutside: true,
    ...(home === undefined ? {} : { home }),
    ...(options.protected === undefined ? {} : { protected: options.protected }),
  });
}

/** How the policy counts on a sandbox; undefined where it must not, since none is enforced. */
export function policySandbox(settings: SandboxSettings | undefined, sandbox: Sandbox): PolicySandbox | undefined {
  if (settings?.enabled !== true || sandbox.describe().enforced.length === 0) return undefined;
  return {
    autoAllow: settings.autoAllowBashIfSandboxed !== false,
    excludedCommands: settings.excludedCommands ?? [],
    allowUnsandboxed: settings.allowUnsandboxedCommands !== false,
  };
}

/**
 * Ends what commands and hooks of dead runtimes left running: once a process, when it first runs a command or takes up a
 * session that died. Never rejects, and nobody has to wait for it.
 */
export function sweepOrphanedCommands(): Promise<unknown> {
  swept ??= import('@rondo/sandbox/orphans').then(({ endOrphanedCommands }) => endOrphanedCommands()).catch(() => 0);
  return swept;
}
