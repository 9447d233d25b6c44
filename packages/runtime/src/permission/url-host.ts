import { withoutTrailing } from './without-trailing.ts';

export interface RuleHost {
  /** As the rule means it: a host, `*.` and a host, or `*`; with a port where it names one. */
  readonly host: string;
  /** Nothing else was written, such as a path. */
  readonly isWhole: boolean;
}

/** Where a URL leads, in one spelling: upper case, a dot at the end, other scripts and spellings of addresses folded away. */
export interface UrlHost {
  readonly host: string;
  readonly port: string;
  /** It is of the web: `http:` or `https:`. */
  readonly isWeb: boolean;
}

/** The host that a rule means, however it is written around. Undefined where there is none. */
export function hostOfRule(written: string): RuleHost | undefined {
  const text = written.trim();
  const bare = text
    .replace(/^[a-z][a-z0-9+.*-]*:\/\//i, '')
    .replace(/[/?#].*$/s, '')
    .replace(/^.*@/s, '');
  const host = bare === '*' ? '*' : bare.startsWith('*.') ? withStar(bare) : canonicalHost(bare);
  if (host === undefined) return undefined;
  return { host, isWhole: bare === text };
}

/** Undefined for what is no URL with a host. */
export function urlHost(url: string): UrlHost | undefined {
  const parsed = parse(url.trim());
  if (parsed === undefined || parsed.hostname === '') return undefined;
  const port = parsed.port === '' ? (defaultPorts[parsed.protocol] ?? '') : parsed.port;
  return { host: plainHost(parsed.hostname), port, isWeb: /^https?:$/.test(parsed.protocol) };
}

/**
 * Whether the rule's host is the URL's.
 * @param below the hosts below it count too, as for rules that deny or ask.
 */
export function matchesDomain(content: string, url: UrlHost, below = false): boolean {
  const wanted = hostOfRule(content.replace(/^domain:/i, ''))?.host;
  if (wanted === undefined) return false;
  if (wanted === '*') return true;
  const [, name = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(wanted) ?? [];
  if (port !== undefined && port !== url.port) return false;
  if (name.startsWith('*.')) return url.host.endsWith(name.slice(1));
  return url.host === name || (below && url.host.endsWith(`.${name}`));
}

const defaultPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443', 'ws:': '80', 'wss:': '443' };

function withStar(bare: string): string | undefined {
  const below = canonicalHost(bare.slice(2));
  return below === undefined || below.includes('*') ? undefined : `*.${below}`;
}

function canonicalHost(text: string): string | undefined {
  if (text === '' || /[\s*]/.test(text)) return undefined;
  const parsed = parse(`https://${text}`);
  if (parsed === undefined || parsed.hostname === '') return undefined;
  const host = plainHost(parsed.hostname);
  // The parser leaves out the port that is the scheme's own.
  const port = /:(\d+)$/.exec(text)?.[1];
  return port === undefined ? host : `${host}:${Number(port)}`;
}

/** Without the dot at the end, and an IPv4 address that is wrapped into IPv6 unwrapped. */
function plainHost(hostname: string): string {
  const host = withoutTrailing(hostname.toLowerCase(), '.');
  const mapped = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(host);
  if (mapped?.[1] === undefined || mapped[2] === undefined) return host;
  const [high, low] = [parseInt(mapped[1], 16), parseInt(mapped[2], 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

function parse(url: string): URL | undefined {
  try {
    return new URL(url);
  } catch {
    return undefined;
  }
}
