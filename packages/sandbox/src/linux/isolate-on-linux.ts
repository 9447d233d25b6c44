import type { Sandbox, SandboxDescription } from '@rondo/runtime';
import type { IsolatedSandboxOptions } from '../isolated-sandbox-options.ts';
import { hasNetwork, type IsolationPolicy } from '../isolation/isolation-policy.ts';
import type { NetworkProxy, NetworkProxyPlaces } from '../network/start-network-proxy.ts';
import { findProgram } from './find-program.ts';
import { makePrivatePlaces, type PrivatePlaces } from './private-places.ts';
import { probeBubblewrap } from './probe-bubblewrap.ts';
import { findRelay, type RelayPrograms } from './relay.ts';

/** Isolation by bubblewrap, or why there is none. Where only the way to allowed domains lacks something, that is `withoutNetwork`. */
export async function isolateOnLinux(policy: IsolationPolicy, options: IsolatedSandboxOptions) {
  const { folders, path = process.env['PATH'] } = options;
  const probe = await probeBubblewrap({ path, sharedProc: policy.sharedProc, folders });
  if (!probe.ok) return probe;
  const find = (name: string) => findProgram(name, { path, not: folders });
  const shell = options.shell ?? (await find('bash')) ?? '/bin/sh';
  const found = hasNetwork(policy)
    ? await findRelay({ blocksSockets: policy.unixSockets === 'none', find })
    : undefined;
  const lack = found !== undefined && 'reason' in found ? found : undefined;
  const programs = found !== undefined && 'relay' in found ? found : undefined;
  let places: Promise<PrivatePlaces> | undefined;
  let proxy: Promise<NetworkProxy> | undefined;
  const networkAccess = async (relay: RelayPrograms, { proxy: folder }: PrivatePlaces) => {
    proxy ??= startProxy(policy, { folder, bubblewrap: probe.program, relay: relay.relay });
    // The next command tries again.
    proxy.catch(() => (proxy = undefined));
    return { programs: relay, proxy: await proxy };
  };
  const exec: Sandbox['exec'] = async (command, commandOptions) => {
    places ??= makePrivatePlaces();
    const { runIsolated } = await import('./run-isolated.ts');
    const network = programs === undefined ? undefined : await networkAccess(programs, await places);
    const run = { bubblewrap: probe, shell, policy, places: await places, options, network };
    return runIsolated(command, commandOptions, run);
  };
  const description = describe(policy, { ...probe, hasWay: programs !== undefined });
  return { exec, description, ...(lack === undefined ? {} : { withoutNetwork: lack }) };
}

async function startProxy({ network }: IsolationPolicy, places: NetworkProxyPlaces): Promise<NetworkProxy> {
  const { startNetworkProxy } = await import('../network/start-network-proxy.ts');
  return startNetworkProxy(network, places);
}

interface Means {
  readonly hasFilter: boolean;
  readonly bindsOpen: boolean;
  /** There is a way to the allowed domains. */
  readonly hasWay: boolean;
}

function describe(policy: IsolationPolicy, { hasFilter, bindsOpen, hasWay }: Means): SandboxDescription {
  const { network, unixSockets, sharedProc } = policy;
  const socketsBlocked = hasFilter && unixSockets === 'none';
  return {
    name: 'bubblewrap',
    enforced: [
      'writing outside the session folders, allowWrite and a /tmp of their own',
      'writing settings, git hooks and git configuration',
      'reading denyRead and stored credentials',
      hasWay
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
      ...(hasWay && unixSockets === 'none'
        ? ['Unix sockets for datagrams that come into being while a command runs can be written to']
        : []),
      ...(bindsOpen ? [] : ['a command can move folders while another one starts in them: bubblewrap is too old']),
      'named pipes can be written where their permissions let',
      'memory and processor time are not limited',
    ],
  };
}
