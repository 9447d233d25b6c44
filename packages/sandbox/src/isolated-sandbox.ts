import { RondoError } from '@rondo/protocol/values';
import type { Sandbox, SandboxDescription } from '@rondo/runtime';
import type { IsolatedSandboxOptions } from './isolated-sandbox-options.ts';
import { compileIsolation, type IsolationPolicy } from './isolation/isolation-policy.ts';
import { createLocalSandbox } from './local-sandbox.ts';
import type { SandboxUnavailable } from './sandbox-unavailable.ts';

/** Runs a command isolated. */
type IsolatedExec = Sandbox['exec'];

/**
 * A sandbox that keeps commands to the session's folders, away from the network and from other processes, by bubblewrap on
 * Linux and by Seatbelt on macOS. It is tried out here: one that the machine cannot enforce is refused, unless
 * `failIfUnavailable` is false; then commands run without, and `note` and `describe()` say so. Where it is only the way to
 * allowed domains that is missing, they then run isolated and without any network.
 * @throws RondoError `sandbox.unavailable` with what to install or to change.
 */
export async function createIsolatedSandbox(options: IsolatedSandboxOptions): Promise<Sandbox> {
  const { settings, folders, home, note } = options;
  const policy = withPlaces(compileIsolation({ settings, cwd: folders[0], home }), options);
  const local = createLocalSandbox(options);
  const isolation = await isolate(policy, options);
  if ('reason' in isolation) {
    if (settings.failIfUnavailable !== false) throw refusal(isolation);
    note?.(`sandbox: commands run WITHOUT a sandbox: ${isolation.reason}. To have one, ${isolation.way}.`);
    return { ...local, describe: () => ({ name: 'none', enforced: [], notEnforced: [isolation.reason] }) };
  }
  const { withoutNetwork } = isolation;
  if (withoutNetwork !== undefined) {
    if (settings.failIfUnavailable !== false) throw refusal(withoutNetwork);
    note?.(
      `sandbox: commands have NO network, not to allowed domains either: ${withoutNetwork.reason}. To have it, ${withoutNetwork.way}.`,
    );
  }
  return {
    ...local,
    exec: (command, commandOptions) =>
      commandOptions.outside === true && options.mayRunOutside === true
        ? local.exec(command, commandOptions)
        : isolation.exec(command, commandOptions),
    canRunOutside: options.mayRunOutside === true,
    describe: () => isolation.description,
  };
}

interface Isolation {
  readonly exec: IsolatedExec;
  readonly description: SandboxDescription;
  /** Why not even allowed domains can be reached, which else is as it should be. */
  readonly withoutNetwork?: SandboxUnavailable;
}

async function isolate(
  policy: IsolationPolicy,
  options: IsolatedSandboxOptions,
): Promise<Isolation | SandboxUnavailable> {
  if (process.platform === 'linux') {
    const { isolateOnLinux } = await import('./linux/isolate-on-linux.ts');
    return isolateOnLinux(policy, options);
  }
  if (process.platform === 'darwin') {
    const { isolateOnMacos } = await import('./macos/isolate-on-macos.ts');
    return isolateOnMacos(policy, options);
  }
  return {
    reason: `there is no sandbox for ${process.platform}`,
    way: 'use Linux or macOS',
  };
}

function withPlaces(policy: IsolationPolicy, options: IsolatedSandboxOptions): IsolationPolicy {
  return {
    ...policy,
    denyWrite: [...policy.denyWrite, ...(options.protected ?? [])],
    denyRead: [...policy.denyRead, ...(options.hidden ?? [])],
  };
}

function refusal({ reason, way }: SandboxUnavailable): RondoError {
  return new RondoError(
    'sandbox.unavailable',
    `The sandbox is enabled but cannot be enforced: ${reason}. To have it, ${way}. To run commands without it, set sandbox.failIfUnavailable to false.`,
    { details: { reason, way } },
  );
}
