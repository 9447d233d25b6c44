import type { IncomingHttpHeaders } from 'node:http';
import { hostnameOf, isLoopback } from './address.ts';

export interface SourceRules {
  /** Names, beside the loopback ones, under which clients may reach this host; with or without a port. */
  readonly allowedHosts: readonly string[];
  /** Origins of pages, beside this host's own, that may speak to it: `https://console.example`. */
  readonly allowedOrigins: readonly string[];
}

/**
 * Why a request must not be looked at, or undefined. A page of another site reaches a loopback port with the user's
 * browser, and with a name of its own that resolves to it: the first is told by `Origin`, the second by `Host`.
 */
export function checkSource(headers: IncomingHttpHeaders, rules: SourceRules): string | undefined {
  const { host, origin } = headers;
  if (host === undefined || !isAllowedHost(host, rules.allowedHosts)) return 'a Host that this host does not go by';
  if (origin === undefined) {
    // Without an Origin a browser still says whether another site's page sent it.
    const site = headers['sec-fetch-site'];
    return site === 'cross-site' || site === 'same-site' ? 'a page of another site' : undefined;
  }
  return isOwnOrigin(origin, host) || rules.allowedOrigins.includes(origin) ? undefined : 'a foreign Origin';
}

function isAllowedHost(host: string, allowedHosts: readonly string[]): boolean {
  const name = hostnameOf(host);
  return (
    isLoopback(name) ||
    allowedHosts.some((allowed) => allowed.toLowerCase() === name || allowed.toLowerCase() === host.toLowerCase())
  );
}

function isOwnOrigin(origin: string, host: string): boolean {
  return origin === `http://${host}` || origin === `https://${host}`;
}
