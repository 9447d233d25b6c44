import type { SandboxUnavailable } from '../isolated-sandbox.ts';
import { relayScript } from '../network/proxy-environment.ts';
import { findProxyLibrary, findSocketBlocker, proxyLibraryName } from '../network/proxy-library.ts';
import type { NetworkProxy } from '../network/start-network-proxy.ts';

/** The programs of this machine that a sandbox's connections need on their way to its proxy. */
export interface RelayPrograms {
  /** socat, which connects a sandbox's loopback with the proxy. */
  readonly relay: string;
  /**
   * What forbids Unix sockets to the command, which the relay needs, and setpriv, which gives up for good the privileges that
   * the former has. Undefined where the command may use Unix sockets.
   */
  readonly blocker: { readonly program: string; readonly dropper: string } | undefined;
}

export interface FindRelayOptions {
  readonly blocksSockets: boolean;
  readonly find: (name: string) => Promise<string | undefined>;
}

/** All that allowed domains need, or what is missing of it. */
export async function findRelay({
  blocksSockets,
  find,
}: FindRelayOptions): Promise<RelayPrograms | SandboxUnavailable> {
  if (findProxyLibrary() === undefined) return without(`the package ${proxyLibraryName}`, `npm install`);
  const relay = await find('socat');
  if (relay === undefined) return without('the program socat', 'apt-get install socat');
  if (!blocksSockets) return { relay, blocker: undefined };
  const dropper = await find('setpriv');
  if (dropper === undefined) return without('the program setpriv', 'apt-get install util-linux');
  const program = findSocketBlocker();
  if (program === undefined) {
    const file = `vendor/seccomp/${process.arch}/apply-seccomp`;
    return without(`${file} of the package ${proxyLibraryName}`, `npm install, on x64 or arm64`);
  }
  return { relay, blocker: { program, dropper } };
}

function without(what: string, install: string): SandboxUnavailable {
  return {
    reason: `network.allowedDomains and the ports of a proxy need ${what}, which is not installed`,
    way: `install it, such as by \`${install}\`, or allow no domains`,
  };
}

/** Below /dev, which every sandbox has its own of: at their own places they may be hidden. */
const place = '/dev/rondo';
const inside = {
  proxy: `${place}/proxy`,
  relay: `${place}/socat`,
  dropper: `${place}/setpriv`,
  blocker: `${place}/apply-seccomp`,
} as const;

/** Where commands find the relay's own program. */
export const relayInside = inside.relay;

/** Puts the programs and the proxy's socket where a sandbox finds them, whatever it hides. */
export function relayMounts({ relay, blocker }: RelayPrograms, proxy: NetworkProxy): string[] {
  const bind = (from: string, to: string) => ['--ro-bind', from, to];
  const helpers = blocker && [...bind(blocker.dropper, inside.dropper), ...bind(blocker.program, inside.blocker)];
  const links = [...bind(proxy.socket, inside.proxy), ...bind(relay, inside.relay), ...(helpers ?? [])];
  return ['--tmpfs', place, ...links, '--remount-ro', place];
}

const dropperArguments = ['--bounding-set=-all', '--inh-caps=-all', '--ambient-caps=-all', '--'];

/** The command behind the relay. What the blocker starts is privileged in the namespace that it makes. */
export function throughRelay({ blocker }: RelayPrograms, command: readonly string[]): string[] {
  const blocked = blocker === undefined ? [] : [inside.blocker, inside.dropper, ...dropperArguments];
  return ['/bin/sh', '-c', relayScript, 'relay', inside.proxy, inside.relay, ...blocked, ...command];
}
