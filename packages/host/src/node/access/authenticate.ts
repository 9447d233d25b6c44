import { createHash, timingSafeEqual } from 'node:crypto';
import { RondoError } from '@rondo/protocol/values';
import { type Principal, unboundPrincipal } from '../../access/principal.ts';
import type { TokenGrant } from './token-grant.ts';

/** Whose a token is; undefined for nobody's, and for none. */
export type Authenticate = (token: string | undefined) => Principal | undefined;

/** Takes as long for a wrong token as for a right one. Without grants everybody is one local principal. */
export function createAuthenticate(grants: readonly TokenGrant[] | undefined): Authenticate {
  if (grants === undefined) {
    const local = unboundPrincipal('local');
    return () => local;
  }
  const known = grants.map((grant) => ({ hash: hashOf(grant), principal: principalOf(grant) }));
  return (token) => {
    if (token === undefined) return undefined;
    const hash = sha256(token);
    let found: Principal | undefined;
    for (const each of known) if (timingSafeEqual(hash, each.hash)) found = each.principal;
    return found;
  };
}

/** The token of an `Authorization` header. */
export function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer +([^\s]+) *$/i.exec(header ?? '')?.[1];
}

function hashOf(grant: TokenGrant): Buffer {
  if ('token' in grant) {
    if (grant.token !== '') return sha256(grant.token);
    throw new RondoError('input.invalid', `the token of "${grant.name}" is empty`);
  }
  if (/^[0-9a-f]{64}$/i.test(grant.tokenSha256)) return Buffer.from(grant.tokenSha256, 'hex');
  throw new RondoError('input.invalid', `tokenSha256 of "${grant.name}" is not 64 hexadecimal digits`);
}

function principalOf({ name, rights, folders, highestMode }: TokenGrant): Principal {
  return {
    name,
    rights,
    ...(folders === undefined ? {} : { folders }),
    ...(highestMode === undefined ? {} : { highestMode }),
  };
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
