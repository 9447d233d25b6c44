import { realpath } from 'node:fs/promises';
import { type Invalid, readPrincipal } from '../../access/read-principal.ts';
import type { TokenGrant } from './token-grant.ts';

const fields = new Set(['token', 'tokenSha256', 'name', 'rights', 'folders', 'highestMode']);

/**
 * A grant as a file or untyped code gives it, with links in its folders followed, as sessions name theirs.
 * @throws what `invalid` makes, naming the field after `where`; never with a token.
 */
export async function readGrant(given: unknown, where: string, invalid: Invalid): Promise<TokenGrant> {
  const principal = readPrincipal(given, where, invalid);
  const unknown = Object.keys(Object(given)).find((field) => !fields.has(field));
  // A misspelt bound must not be read as no bound.
  if (unknown !== undefined) throw invalid(`${where} has a field "${unknown}" that means nothing here`);
  const secret = secretOf(Object(given), where, invalid);
  if (principal.folders === undefined) return { ...principal, ...secret };
  return { ...principal, ...secret, folders: await Promise.all(principal.folders.map(followLinks)) };
}

function secretOf(given: Partial<Record<string, unknown>>, where: string, invalid: Invalid) {
  const { token, tokenSha256 } = given;
  if (typeof token === 'string' && /^\S+$/.test(token) && tokenSha256 === undefined) return { token };
  if (typeof tokenSha256 === 'string' && /^[0-9a-f]{64}$/i.test(tokenSha256) && token === undefined) {
    return { tokenSha256 };
  }
  throw invalid(`${where} needs either a token without spaces or the 64 digits of its tokenSha256`);
}

async function followLinks(folder: string): Promise<string> {
  return await realpath(folder).catch(() => folder);
}
