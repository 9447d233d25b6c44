/** Whether a name or address is this machine's own, reached from nowhere else. */
export function isLoopback(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  return name === 'localhost' || name.endsWith('.localhost') || name === '::1' || /^127(\.\d{1,3}){3}$/.test(name);
}

/** The name in a `Host` header, without its port. */
export function hostnameOf(header: string): string {
  return header.toLowerCase().replace(/:\d*$/, '');
}

/** An address as it stands in a URL. */
export function inUrl(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}
