import { homedir } from 'node:os';
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { resolveHome } from '@rondo/runtime/node';
import type { HomeOptions } from '../sessions/with-home.ts';
import { loadSettings } from '../settings/load-settings.ts';
import { untrustedMessage } from './is-trusted.ts';
import { type JudgedFolder, judgeFolder } from './judge-folder.ts';
import { trustFolder as trustJudged } from './trust-folder.ts';
import { createTrustStore, type TrustedFolder } from './trust-store.ts';

export interface FolderTrustOptions extends HomeOptions {
  /** The folder; `process.cwd()` unless given. */
  cwd?: string;
}

/** What a folder would bring in, and what of it is trusted. */
export interface FolderTrust extends Pick<JudgedFolder, 'folder' | 'parts'> {
  /** What sessions there leave out, in a sentence; absent where they leave out nothing. */
  readonly message?: string;
}

/**
 * Looks at what a folder brings in that would let something happen or run: its settings with the scripts they name, its
 * git configuration. Runs nothing of it.
 * @throws RondoError `input.invalid` where there is no such folder.
 */
export async function getFolderTrust(options: FolderTrustOptions = {}): Promise<FolderTrust> {
  const judged = await judge(options);
  const message = untrustedMessage(judged);
  return { folder: judged.folder, parts: judged.parts, ...(message === undefined ? {} : { message }) };
}

/**
 * Trusts what the folder brings in now. `seen` is what somebody looked at: what has changed since is not trusted.
 * Resolves when that is on disk.
 */
export async function trustFolder(options: FolderTrustOptions & { seen?: FolderTrust } = {}): Promise<FolderTrust> {
  const judged = await judge(options);
  const { seen } = options;
  const parts = judged.parts.filter(
    ({ name, hash }) => seen === undefined || seen.parts.some((part) => part.name === name && part.hash === hash),
  );
  trustJudged({ ...judged, parts }, homeOf(options));
  return await getFolderTrust(options);
}

/** Takes the trust of a folder back; false where there was none. */
export function distrustFolder(options: FolderTrustOptions = {}): Promise<boolean> {
  const { cwd = process.cwd() } = options;
  const store = createTrustStore(homeOf(options));
  const path = resolve(cwd);
  // A folder that is gone is known by the name that it had.
  return Promise.resolve([...new Set([realPathOr(path), path])].some((folder) => store.remove(folder)));
}

/** The folders of which something is trusted, by name. */
export function listTrustedFolders(options: HomeOptions = {}): Promise<TrustedFolder[]> {
  return Promise.resolve(createTrustStore(homeOf(options)).list());
}

async function judge(options: FolderTrustOptions): Promise<JudgedFolder> {
  const folder = resolve(options.cwd ?? process.cwd());
  const place = homeOf(options);
  const env = { ...process.env, HOME: process.env['HOME'] ?? homedir() };
  const { layers } = await loadSettings({ cwd: folder, home: place, env, settingSources: ['project', 'local'] });
  return await judgeFolder({ cwd: folder, home: place, layers });
}

function homeOf({ home }: HomeOptions): string {
  return home === undefined ? resolveHome() : resolve(home);
}

function realPathOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
