import type { NetworkProxy } from './start-network-proxy.ts';

/** The port of a sandbox's own loopback where its proxy answers. */
export const proxyPort = 3128;

/** What programs of a sandbox are told, so that they find the proxy. Whoever does not read it has no network. */
export function proxyEnvironment(
  { token }: Pick<NetworkProxy, 'token'>,
  { port = proxyPort, relay = 'socat' }: { readonly port?: number; readonly relay?: string } = {},
): Readonly<Record<string, string>> {
  const url = `http://${token === undefined ? '' : `srt:${token}@`}localhost:${port}`;
  const none = 'localhost,127.0.0.1,::1';
  const authentication = token === undefined ? '' : `,proxyauth=srt:${token}`;
  const connect = `${relay} - PROXY:localhost:%h:%p,proxyport=${port}${authentication}`;
  return {
    HTTP_PROXY: url,
    HTTPS_PROXY: url,
    ALL_PROXY: url,
    http_proxy: url,
    https_proxy: url,
    all_proxy: url,
    NO_PROXY: none,
    no_proxy: none,
    NODE_USE_ENV_PROXY: '1',
    GIT_SSH_COMMAND: `ssh -o ControlMaster=no -o ControlPath=none -o ProxyCommand='${connect}'`,
  };
}

/**
 * Runs a command behind the relay to the proxy: `$1` is the proxy's socket, `$2` the relay, and the rest the command. It
 * starts when the relay listens, and the relay ends with it.
 */
export const relayScript = `
socket=$1 relay=$2; shift 2
"$relay" TCP4-LISTEN:${proxyPort},bind=127.0.0.1,fork,reuseaddr,backlog=4096 UNIX-CONNECT:"$socket" </dev/null >/dev/null 2>&1 &
relay=$!
while kill -0 "$relay" 2>/dev/null; do
  while read -r _ address _; do
    case $address in *:${proxyPort.toString(16).toUpperCase().padStart(4, '0')}) break 2 ;; esac
  done < /proc/net/tcp
done
unset socket relay address
exec "$@"
`;
