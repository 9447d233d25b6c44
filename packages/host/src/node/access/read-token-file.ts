import { readFile, realpath, stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { RondoError } from '@rondo/protocol/values';
import { allRights, type Right } from '../../access/principal.ts';
import { modesByReach } from '../../access/mode-bound.ts';
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
  return await Promise.all(tokens.map((entry, index) => readGrant(path, entry, index)));
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

const fields = new Set(['token', 'tokenSha256', 'name', 'rights', 'folders', 'highestMode']);

async function readGrant(path: string, entry: unknown, index: number): Promise<TokenGrant> {
  const where = `tokens[${index}]`;
  if (typeof entry !== 'object' || entry === null) throw invalid(path, `${where} is not an object`);
  const { token, tokenSha256, name, rights, folders, highestMode } = entry as Record<string, unknown>;
  const unknown = Object.keys(entry).find((field) => !fields.has(field));
  // A misspelt bound must not be read as no bound.
  if (unknown !== undefined) throw invalid(path, `${where} has a field "${unknown}" that means nothing here`);
  if (typeof name !== 'string' || name === '') throw invalid(path, `${where}.name is not a name`);
  const mode = modesByReach.find((known) => known === highestMode);
  if (highestMode !== undefined && mode === undefined) {
    throw invalid(path, `${where}.highestMode is none of ${modesByReach.join(', ')}`);
  }
  return {
    ...secretOf(path, where, token, tokenSha256),
    name,
    rights: readRights(path, where, rights),
    ...(folders === undefined ? {} : { folders: await readFolders(path, where, folders) }),
    ...(mode === undefined ? {} : { highestMode: mode }),
  };
}

function secretOf(path: string, where: string, token: unknown, hash: unknown) {
  if (typeof token === 'string' && /^\S+$/.test(token) && hash === undefined) return { token };
  if (typeof hash === 'string' && /^[0-9a-f]{64}$/i.test(hash) && token === undefined) return { tokenSha256: hash };
  throw invalid(path, `${where} needs either a token without spaces or the 64 digits of its tokenSha256`);
}

function readRights(path: string, where: string, rights: unknown): readonly Right[] {
  const known = allRights.filter((right) => Array.isArray(rights) && rights.includes(right));
  if (Array.isArray(rights) && rights.length > 0 && known.length === new Set<unknown>(rights).size) return known;
  throw invalid(path, `${where}.rights is not a list of ${allRights.join(', ')}`);
}

async function readFolders(path: string, where: string, folders: unknown): Promise<readonly string[]> {
  if (!Array.isArray(folders)) throw invalid(path, `${where}.folders is not a list`);
  return await Promise.all(
    folders.map(async (folder: unknown) => {
      if (typeof folder !== 'string' || !isAbsolute(folder)) {
        throw invalid(path, `${where}.folders holds what is no absolute path`);
      }
      // Sessions name their folder with links followed.
      return await realpath(folder).catch(() => folder);
    }),
  );
}

function invalid(path: string, why: string, cause?: unknown): RondoError {
  return new RondoError('input.invalid', `the token file ${path} ${why}`, {
    details: { path },
    ...(cause === undefined ? {} : { cause }),
  });
}
