/** Where a sandbox's programs find its proxy, on their own loopback or on this machine's. */
export interface ProxyAddress {
  readonly port: number;
  readonly token: string | undefined;
  /** Of the person's own SOCKS proxy. */
  readonly socksPort: number | undefined;
  /** The other one lets nothing through. */
  readonly onlySocks: boolean;
  /** The program socat as the sandbox has it. */
  readonly relay?: string;
}

/** What programs of a sandbox are told, so that they find the proxy. Whoever does not read it has no network. */
export function proxyEnvironment(address: ProxyAddress): Readonly<Record<string, string>> {
  const { port, token, socksPort, onlySocks, relay = 'socat' } = address;
  const http = `http://${token === undefined ? '' : `srt:${token}@`}localhost:${port}`;
  const socks = socksPort === undefined ? http : `socks5h://localhost:${socksPort}`;
  const url = onlySocks ? socks : http;
  const none = 'localhost,127.0.0.1,::1';
  const authentication = token === undefined ? '' : `,proxyauth=srt:${token}`;
  const connect = `${relay} - PROXY:localhost:%h:%p,proxyport=${port}${authentication}`;
  return {
    HTTP_PROXY: url,
    HTTPS_PROXY: url,
    ALL_PROXY: socks,
    http_proxy: url,
    https_proxy: url,
    all_proxy: socks,
    NO_PROXY: none,
    no_proxy: none,
    // Neither speaks SOCKS.
    ...(onlySocks
      ? {}
      : {
          NODE_USE_ENV_PROXY: '1',
          GIT_SSH_COMMAND: `ssh -o ControlMaster=no -o ControlPath=none -o ProxyCommand='${connect}'`,
        }),
  };
}
