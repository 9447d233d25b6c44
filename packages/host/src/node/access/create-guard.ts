import type { IncomingMessage } from 'node:http';
import { RondoError } from '@rondo/protocol/values';
import type { HostLog } from '../host-log.ts';
import { inUrl } from './address.ts';
import { checkSource } from './check-source.ts';

export interface GuardOptions {
  readonly host: string;
  readonly allowedHosts?: readonly string[];
  readonly allowedOrigins?: readonly string[];
  readonly log: HostLog;
}

/** Looks at where a request comes from and how it is addressed, before anything of it is answered. */
export interface Guard {
  /** Its address, or why it is refused: `access.denied` for its source, `access.unauthenticated` for a token in its URL. */
  admit(request: IncomingMessage): URL | RondoError;
}

/** Query parameters by which tokens are sent where URLs are thought to be private. */
const tokenNames = ['token', 'access_token', 'authorization', 'auth', 'api_key', 'key'];

export function createGuard({ host, allowedHosts = [], allowedOrigins = [], log }: GuardOptions): Guard {
  const rules = {
    allowedHosts: isEveryAddress(host) ? allowedHosts : [...allowedHosts, inUrl(host)],
    allowedOrigins,
  };
  return {
    admit(request) {
      const refused = checkSource(request.headers, rules);
      const url = URL.parse(request.url ?? '/', 'http://host');
      if (refused !== undefined || url === null) {
        const { remoteAddress } = request.socket;
        log.warn({ remoteAddress, reason: refused ?? 'no URL' }, 'a request was refused for where it comes from');
        return new RondoError('access.denied', 'refused');
      }
      if (!tokenNames.some((name) => url.searchParams.has(name))) return url;
      return new RondoError(
        'access.unauthenticated',
        'a token in a URL is refused, for URLs are kept and shown; send it as "Authorization: Bearer", and make a new one',
      );
    },
  };
}

function isEveryAddress(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}
