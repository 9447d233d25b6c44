import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sandbox, SandboxDescription } from '@rondo/runtime';
import type { IsolatedSandboxOptions } from '../isolated-sandbox-options.ts';
import { expandPaths, isPattern } from '../isolation/expand-paths.ts';
import { explainRefusals } from '../isolation/explain-refusals.ts';
import { hasNetwork, type IsolationPolicy } from '../isolation/isolation-policy.ts';
import { findProtectedPlaces } from '../isolation/protected-places.ts';
import { proxyEnvironment } from '../network/proxy-environment.ts';
import { findProxyLibrary, proxyLibraryName } from '../network/proxy-library.ts';
import { runForOutput } from '../supervisor/run-command.ts';
import { runProcess } from '../supervisor/run-process.ts';
import { seatbeltProfile } from './seatbelt-profile.ts';

const program = '/usr/bin/sandbox-exec';

/** Isolation by Seatbelt, or why there is none. */
export async function isolateOnMacos(policy: IsolationPolicy, options: IsolatedSandboxOptions) {
  const probe = await runProcess({
    command: { program, args: ['-p', '(version 1)(allow default)', '/usr/bin/true'] },
    cwd: '/',
    env: {},
    timeoutMs: 10_000,
    signal: AbortSignal.timeout(20_000),
    outputLimit: 4000,
  }).catch(() => undefined);
  if (probe?.exitCode !== 0) {
    return {
      reason: `${program} does not work here (${probe?.stderr.trim() ?? 'it cannot be started'})`,
      way: 'run outside of other sandboxes',
    };
  }
  const hasWay = hasNetwork(policy) && findProxyLibrary() !== undefined;
  let temporary: Promise<string> | undefined;
  let proxy: ReturnType<typeof startProxy> | undefined;
  const exec: Sandbox['exec'] = async (command, commandOptions) => {
    temporary ??= mkdtemp(join(tmpdir(), 'rondo-sandbox-')).then((folder) => realpath(folder));
    if (hasWay) proxy ??= startProxy(policy, await temporary);
    const network = await proxy;
    const folders = commandOptions.folders ?? options.folders;
    const [writable, denied, hidden, shown] = await Promise.all([
      expandPaths([...folders, ...policy.write, await temporary]),
      expandPaths(policy.denyWrite),
      expandPaths(policy.denyRead),
      expandPaths(policy.read),
    ]);
    const places = await findProtectedPlaces(writable, await realpath(policy.home).catch(() => policy.home));
    const profile = seatbeltProfile({
      writable,
      protected: [
        ...denied,
        ...policy.denyWrite.filter((path) => !isPattern(path)),
        ...places.present,
        ...places.missing,
      ],
      hidden,
      shown,
      proxyPorts: network === undefined ? [] : [network.port, ...(network.socks ? [network.socks.port] : [])],
      localBinding: policy.localBinding,
      unixSockets: policy.unixSockets,
      machServices: options.settings.network?.allowMachLookup ?? [],
    });
    const env = {
      ...commandOptions.env,
      TMPDIR: await temporary,
      ...(network === undefined ? {} : proxyEnvironment({ ...network, socksPort: network.socks?.port })),
    };
    const args = ['-p', profile, options.shell ?? '/bin/bash', '-c', command];
    const execution = await runForOutput([{ program, args }], { ...commandOptions, env }, options);
    const refusals = explainRefusals(execution, {
      command,
      cwd: commandOptions.cwd,
      writable,
      hidden,
      network: hasWay,
      settings: options.settings,
      mayAsk: options.mayRunOutside === true && options.settings.allowUnsandboxedCommands !== false,
    });
    return refusals.length === 0 ? execution : { ...execution, refusals };
  };
  return {
    exec,
    description: describe(policy, hasWay),
    ...(hasWay === hasNetwork(policy) ? {} : { withoutNetwork: withoutLibrary }),
  };
}

const withoutLibrary = {
  reason: `network.allowedDomains and the ports of a proxy need the package ${proxyLibraryName}, which is not installed`,
  way: 'install it, such as by `npm install`, or allow no domains',
} as const;

async function startProxy({ network }: IsolationPolicy, folder: string) {
  const { startNetworkProxy } = await import('../network/start-network-proxy.ts');
  return startNetworkProxy(network, { folder });
}

function describe(policy: IsolationPolicy, hasWay: boolean): SandboxDescription {
  return {
    name: 'Seatbelt',
    enforced: [
      'writing outside the session folders, allowWrite and a temporary folder of their own',
      'writing settings, git hooks and git configuration',
      'reading denyRead and stored credentials',
      hasWay ? 'network other than by the proxy' : 'network',
      'signals to other processes, services of the system, starting programs outside',
      ...(policy.unixSockets === 'all' ? [] : ['Unix sockets that are not allowed']),
    ],
    notEnforced: [
      'memory and processor time are not limited',
      'processes that leave their group can outlive their command',
    ],
  };
}
