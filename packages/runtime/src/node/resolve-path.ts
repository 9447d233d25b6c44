import { readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

const MAX_LINKS = 40;

/**
 * Where a path really leads: links followed as the system follows them, before any `..`. Of what does not exist yet the
 * nearest existing folder is resolved, and a dangling link leads to where a write through it would land.
 * @throws when the links have no end.
 */
export async function resolvePath(path: string): Promise<string> {
  return await follow(path, MAX_LINKS);
}

async function follow(path: string, linksLeft: number): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (codeOf(error) === 'ELOOP' || linksLeft === 0) throw error;
  }
  const trimmed = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  const parent = dirname(trimmed);
  if (parent === trimmed) return trimmed;
  const folder = await follow(parent, linksLeft);
  const name = basename(trimmed);
  if (name === '..') return dirname(folder);
  if (name === '.') return folder;
  const target = await readlink(join(folder, name)).catch(() => undefined);
  if (target === undefined) return join(folder, name);
  return await follow(target.startsWith('/') ? target : `${folder}/${target}`, linksLeft - 1);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
