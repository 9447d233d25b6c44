import { readFile, stat } from 'node:fs/promises';
import { RondoError } from '@rondo/protocol/values';
import { allRights } from '../../access/principal.ts';
import { readGrant } from './read-grant.ts';
import type { TokenGrant } from './token-grant.ts';

/**
 * The tokens of a file: one token alone, which may do everything, or `{ "tokens": [{ "token" | "tokenSha256", "name",
 * "rights", "folders"?, "highestMode"? }] }`. The file must be for its user alone.
 * @throws RondoError `input.invalid`, saying what to mend.
 */
export async function readTokenFile(path: string): Promise<readonly TokenGrant[]> {
  const [text, { mode }] = await Promise.all([readFile(path, 'utf8'), stat(path)]).catch((error: unknown) => {
    throw invalid(path, `cannot be read: ${error instanceof Error ? error.message : String(error)}`, error);
  });
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw invalid(path, `can be read by others; make it yours alone: chmod 600 ${path}`);
  }
  const trimmed = text.trim();
  if (!trimmed.startsWith('{')) return [{ name: 'token', rights: allRights, token: soleToken(path, trimmed) }];
  const { tokens } = parse(path, trimmed);
  if (!Array.isArray(tokens) || tokens.length === 0) throw invalid(path, 'has no list "tokens" with an entry in it');
  return await Promise.all(
    tokens.map((entry: unknown, index) => readGrant(entry, `tokens[${index}]`, (why) => invalid(path, why))),
  );
}

function soleToken(path: string, text: string): string {
  if (/^\S+$/.test(text)) return text;
  throw invalid(path, text === '' ? 'is empty' : 'holds neither one token nor a JSON object');
}

function parse(path: string, text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    // Without the parser's error: it may quote the file, and with it a token.
    throw invalid(path, 'begins like a JSON object and is none');
  }
}

function invalid(path: string, why: string, cause?: unknown): RondoError {
  return new RondoError('input.invalid', `the token file ${path} ${why}`, {
    details: { path },
    ...(cause === undefined ? {} : { cause }),
  });
}
