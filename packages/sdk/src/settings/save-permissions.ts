import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { randomUUID } from 'node:crypto';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import type { PermissionUpdate, PermissionUpdateDestination } from '@rondo/protocol';
import type { PolicyNotice } from '@rondo/runtime';
import { whileLocked } from './file-lock.ts';

export interface SavePermissionsOptions {
  /** The session's folder, absolute. */
  readonly cwd: string;
  /** Rondo's home, absolute. */
  readonly home: string;
  /** Runs around each change of a file of the folder, so that what was trusted stays so. */
  readonly signing?: (file: string) => Promise<() => Promise<void>>;
}

type FileDestination = Exclude<PermissionUpdateDestination, 'session' | 'cliArg'>;

/** Where updates are written: always to Rondo's own files. */
export function settingsFileFor(destination: FileDestination, { cwd, home }: SavePermissionsOptions): string {
  const files = {
    userSettings: join(home, 'settings.json'),
    projectSettings: join(cwd, '.rondo', 'settings.json'),
    localSettings: join(cwd, '.rondo', 'settings.local.json'),
  };
  return files[destination];
}

/**
 * Writes updates to the settings files that they name: whole or not at all, beside whoever else writes there, with comments
 * and order kept. A file that cannot be understood is never written over. What is there already is not written again.
 * Never rejects; says what came of each file.
 */
export async function savePermissions(
  updates: readonly PermissionUpdate[],
  options: SavePermissionsOptions,
): Promise<readonly PolicyNotice[]> {
  const notices: PolicyNotice[] = [];
  for (const destination of ['userSettings', 'projectSettings', 'localSettings'] as const) {
    const own = updates.filter((update) => update.destination === destination);
    if (own.length > 0) notices.push(...(await saveTo(settingsFileFor(destination, options), own, options)));
  }
  return notices;
}

async function saveTo(
  file: string,
  updates: readonly PermissionUpdate[],
  { cwd, home, signing }: SavePermissionsOptions,
): Promise<readonly PolicyNotice[]> {
  const { editPermissions } = await import('./edit-permissions.ts');
  try {
    mkdirSync(dirname(file), { recursive: true });
    const target = realPathOr(file);
    if (dirname(file) !== home) refuseOutside(target, cwd);
    return await whileLocked(join(dirname(target), `.${basename(target)}.lock`), async () => {
      const before = textOf(target);
      const { text, left } = editPermissions(before ?? '', updates);
      const leftNotices = left.map(
        (said): PolicyNotice => ({ level: 'warning', message: `${said}.`, details: { file } }),
      );
      if (text === (before ?? '')) return leftNotices;
      const sign = await signing?.(file);
      replace(target, text);
      await sign?.();
      const hint = before === undefined ? ignoreHint(file) : '';
      return [{ level: 'info', message: `Written to ${file}.${hint}`, details: { file } }, ...leftNotices];
    });
  } catch (error) {
    const why = (error as Error).message;
    const message = `${file} was not written: ${why}. What was allowed counts for this session; mend the file, and allow it again to keep it.`;
    return [{ level: 'error', message, details: { file } }];
  }
}

function realPathOr(file: string): string {
  try {
    return realpathSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return file;
    throw error;
  }
}

/** A link that a folder brings along could have a rule for this folder count for all of them. */
function refuseOutside(target: string, cwd: string): void {
  const folder = realPathOr(dirname(target));
  const below = relative(realpathSync(cwd), folder);
  if (below.startsWith('..') || isAbsolute(below)) throw new Error(`it leads out of its folder, to ${target}`);
}

function textOf(file: string): string | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (!stats.isFile()) throw new Error('it is no ordinary file');
  return readFileSync(file, 'utf8');
}

/** A reader sees the old text or the new one, also after a power cut; the file's mode stays. */
function replace(file: string, text: string): void {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode;
  const temporary = join(dirname(file), `.${basename(file)}.${randomUUID()}`);
  try {
    const descriptor = openSync(temporary, 'wx', 0o600);
    try {
      writeSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    if (mode !== undefined) chmodSync(temporary, mode & 0o7777);
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncFolder(dirname(file));
}

function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** A new file of one person's in a repository that does not leave it out yet. */
function ignoreHint(file: string): string {
  if (basename(file) !== 'settings.local.json') return '';
  const folder = dirname(dirname(file));
  if (statSync(join(folder, '.git'), { throwIfNoEntry: false }) === undefined) return '';
  try {
    if (/^\/?(\.rondo\/?|.*settings\.local\.json)\s*$/m.test(readFileSync(join(folder, '.gitignore'), 'utf8')))
      return '';
  } catch {
    // There is none.
  }
  return ' It is yours alone: put .rondo/settings.local.json into .gitignore.';
}
