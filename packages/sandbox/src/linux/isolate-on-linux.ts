import type { Sandbox, SandboxDescription } from '@rondo/runtime';
import type { IsolatedSandboxOptions } from '../isolated-sandbox-options.ts';
import { hasNetwork, type IsolationPolicy } from '../isolation/isolation-policy.ts';
import type { NetworkProxy, NetworkProxyPlaces } from '../network/start-network-proxy.ts';
import type { NetworkAccess } from './run-isolated.ts';
import { findProgram } from './find-program.ts';
import { makePrivatePlaces, type PrivatePlaces } from './private-places.ts';
import { probeBubblewrap } from './probe-bubblewrap.ts';

/** Isolation by bubblewrap, or why there is none. */
export async function isolateOnLinux(policy: IsolationPolicy, options: IsolatedSandboxOptions) {
  const { folders, path = process.env['PATH'] } = options;
  const probe = await probeBubblewrap({ path, sharedProc: policy.sharedProc, folders });
  if (!probe.ok) return probe;
  const shell = options.shell ?? (await findProgram('bash', { path, not: folders })) ?? '/bin/sh';
  const find = (name: string) => findProgram(name, { path, not: folders });
  const programs = hasNetwork(policy) ? { relay: await find('socat'), dropper: await find('setpriv') } : undefined;
  if (programs !== undefined && (programs.relay === undefined || programs.dropper === undefined)) return withoutRelay;
  let places: Promise<PrivatePlaces> | undefined;
  let proxy: Promise<NetworkProxy> | undefined;
  const exec: Sandbox['exec'] = async (command, commandOptions) => {
    places ??= makePrivatePlaces();
    const { runIsolated } = await import('./run-isolated.ts');
    const { proxy: folder } = await places;
    if (programs?.relay !== undefined) {
      proxy ??= startProxy(policy, { folder, bubblewrap: probe.program, relay: programs.relay });
    }
    const network = await networkAccess(programs, proxy);
    const run = { bubblewrap: probe.program, shell, policy, places: await places, options, network };
    return runIsolated(command, commandOptions, run);
  };
  return { exec, description: describe(policy, probe.hasFilter) };
}

const withoutRelay = {
  reason: 'allowedDomains needs the programs socat and setpriv, of which one is not installed',
  way: 'install them, such as by `apt-get install socat util-linux`, or allow no domains',
} as const;

async function networkAccess(
  programs: { readonly relay: string | undefined; readonly dropper: string | undefined } | undefined,
  proxy: Promise<NetworkProxy> | undefined,
): Promise<NetworkAccess | undefined> {
  if (programs?.relay === undefined || programs.dropper === undefined || proxy === undefined) return undefined;
  return { relay: programs.relay, dropper: programs.dropper, proxy: await proxy };
}

async function startProxy({ network }: IsolationPolicy, places: NetworkProxyPlaces): Promise<NetworkProxy> {
  const { startNetworkProxy } = await import('../network/start-network-proxy.ts');
  return startNetworkProxy(network, places);
}

function describe(policy: IsolationPolicy, hasFilter: boolean): SandboxDescription {
  const { network, unixSockets, sharedProc } = policy;
  const socketsBlocked = hasFilter && unixSockets === 'none';
  return {
    name: 'bubblewrap',
    enforced: [
      'writing outside the session folders, allowWrite and a /tmp of their own',
      'writing settings, git hooks and git configuration',
      'reading denyRead and stored credentials',
      hasNetwork(policy)
        ? `network other than by the proxy, which lets through ${network.allowed.join(', ') || 'what a proxy of the person decides'}`
        : 'network',
      ...(sharedProc ? ['signals to other processes'] : ['seeing or signalling other processes']),
      'privileges, also by setuid programs',
      ...(hasFilter ? ['namespaces and mounts of their own', 'kernel keys, io_uring, BPF'] : []),
      ...(socketsBlocked ? ['Unix sockets'] : ['abstract Unix sockets of the machine']),
      'processes that outlive their command',
    ],
    notEnforced: [
      ...(sharedProc ? ['the list of the processes around is visible'] : []),
      ...(hasFilter ? [] : [`no filter of system calls for ${process.arch}: path Unix sockets can be reached`]),
      ...(hasFilter && unixSockets === 'all' ? ['Unix sockets can be reached'] : []),
      ...(Array.isArray(unixSockets) && hasFilter
        ? ['Unix sockets that come into being while a command runs can be reached, beside the allowed ones']
        : []),
      ...(hasNetwork(policy) && unixSockets === 'none'
        ? ['Unix sockets for datagrams that come into being while a command runs can be written to']
        : []),
      'named pipes can be written where their permissions let',
      'memory and processor time are not limited',
    ],
  };
}
