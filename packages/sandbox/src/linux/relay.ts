import { proxyEnvironment } from '../network/proxy-environment.ts';
import { findProxyLibrary, findSocketBlocker, proxyLibraryName } from '../network/proxy-library.ts';
import type { NetworkProxy } from '../network/start-network-proxy.ts';
import type { SandboxUnavailable } from '../sandbox-unavailable.ts';

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

/** The way of commands to the hosts that are allowed. */
export interface NetworkAccess {
  readonly proxy: NetworkProxy;
  readonly programs: RelayPrograms;
}

/** Below /dev, which every sandbox has its own of: at their own places they may be hidden. */
const place = '/dev/rondo';
const inside = {
  proxy: `${place}/proxy`,
  socks: `${place}/socks`,
  relay: `${place}/socat`,
  dropper: `${place}/setpriv`,
  blocker: `${place}/apply-seccomp`,
} as const;
/** The ports of a sandbox's own loopback where its proxies answer. */
const ports = { proxy: 3128, socks: 1080 } as const;

/** Puts the programs and the proxies' sockets where a sandbox finds them, whatever it hides. */
export function relayMounts({ programs: { relay, blocker }, proxy }: NetworkAccess): string[] {
  const bind = (from: string, to: string) => ['--ro-bind', from, to];
  const socks = proxy.socks && bind(proxy.socks.socket, inside.socks);
  const helpers = blocker && [...bind(blocker.dropper, inside.dropper), ...bind(blocker.program, inside.blocker)];
  const links = [...bind(proxy.socket, inside.proxy), ...(socks ?? []), ...bind(relay, inside.relay)];
  return ['--tmpfs', place, ...links, ...(helpers ?? []), '--remount-ro', place];
}

export function relayEnvironment(proxy: NetworkProxy): Readonly<Record<string, string>> {
  const socksPort = proxy.socks && ports.socks;
  return proxyEnvironment({ ...proxy, port: ports.proxy, socksPort, relay: inside.relay });
}

const dropperArguments = ['--bounding-set=-all', '--inh-caps=-all', '--ambient-caps=-all', '--'];

/** The command behind the relay. What the blocker starts is privileged in the namespace that it makes. */
export function throughRelay({ programs: { blocker }, proxy }: NetworkAccess, command: readonly string[]): string[] {
  const blocked = blocker === undefined ? [] : [inside.blocker, inside.dropper, ...dropperArguments];
  const script = [
    listen(ports.proxy, inside.proxy),
    ...(proxy.socks === undefined ? [] : [listen(ports.socks, inside.socks)]),
    'unset relay address',
    'exec "$@"',
  ];
  return ['/bin/sh', '-c', script.join('\n'), 'relay', ...blocked, ...command];
}

/** Starts a relay, which ends with the sandbox, and goes on when it listens. */
function listen(port: number, socket: string): string {
  const inHex = port.toString(16).toUpperCase().padStart(4, '0');
  return `${inside.relay} TCP4-LISTEN:${port},bind=127.0.0.1,fork,reuseaddr,backlog=4096 UNIX-CONNECT:${socket} </dev/null >/dev/null 2>&1 &
relay=$!
while kill -0 "$relay" 2>/dev/null; do
  while read -r _ address _; do
    case $address in *:${inHex}) break 2 ;; esac
  done < /proc/net/tcp
done`;
}
