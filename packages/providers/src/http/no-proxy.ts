/**
 * Whether a server is asked without the proxy: one on this machine always, others by `NO_PROXY`. Its entries stand
 * between commas or blanks; each is a host with all below it, `.suffix`, an address, a range like `10.0.0.0/8`, any of
 * them with a port, or `*` for everything.
 */
export function bypassesProxy(url: URL, exceptions: string): boolean {
  const host = bareHost(url.hostname);
  if (isThisMachine(host)) return true;
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  return exceptions
    .split(/[\s,]+/)
    .some((entry) => entry === '*' || (entry !== '' && matches(entry.toLowerCase(), host, port)));
}

function isThisMachine(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry.includes('/')) return isInRange(host, entry);
  const [, bracketed, bracketedPort] = /^\[([^\]]+)\](?::(\d+))?$/.exec(entry) ?? [];
  if (bracketed !== undefined) return isSameAddress(bracketed, host) && (bracketedPort ?? port) === port;
  if (entry.split(':').length > 2) return isSameAddress(entry, host);
  const [name = '', namedPort] = entry.split(':');
  if (namedPort !== undefined && namedPort !== port) return false;
  const suffix = name.replace(/^\*?\./, '').replace(/\.$/, '');
  return suffix !== '' && (host === suffix || (host.endsWith(`.${suffix}`) && !isAddress(host)));
}

function isInRange(host: string, range: string): boolean {
  const [network = '', bits = ''] = range.split('/');
  const { BlockList, isIP } = process.getBuiltinModule('node:net');
  const family = isIP(host);
  const length = Number(bits);
  const fits = /^\d+$/.test(bits) && length <= (family === 4 ? 32 : 128);
  if (family === 0 || isIP(bareHost(network)) !== family || !fits) return false;
  const list = new BlockList();
  const type = family === 4 ? 'ipv4' : 'ipv6';
  list.addSubnet(bareHost(network), length, type);
  return list.check(host, type);
}

/** Addresses of version 6 are written in many ways. */
function isSameAddress(address: string, host: string): boolean {
  return bareHost(URL.parse(`http://[${address}]`)?.hostname ?? address) === host;
}

function isAddress(host: string): boolean {
  return process.getBuiltinModule('node:net').isIP(host) !== 0;
}

function bareHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
}
