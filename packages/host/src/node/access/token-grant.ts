import type { Principal } from '../../access/principal.ts';

/** A token, or the hexadecimal SHA-256 of one, and whose it is. */
export type TokenGrant = Principal & ({ readonly token: string } | { readonly tokenSha256: string });
