import { createHash, timingSafeEqual } from 'node:crypto';
import { type Principal, unboundPrincipal } from '../../access/principal.ts';
import type { TokenGrant } from './token-grant.ts';

/** Whose a token is; undefined for nobody's, and for none. */
export type Authenticate = (token: string | undefined) => Principal | undefined;

/** Of grants that were read. Takes as long for a wrong token as for a right one. Without grants everybody is one local principal. */
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
  return 'token' in grant ? sha256(grant.token) : Buffer.from(grant.tokenSha256, 'hex');
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
