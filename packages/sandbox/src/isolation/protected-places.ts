import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { listFolder } from './list-folder.ts';

/** Names in a writable folder that make something run, or rule what may: never written by a command. */
const protectedNames: readonly string[] = [
  '.rondo',
  '.claude',
  '.mcp.json',
  '.git/hooks',
  '.git/config',
  '.vscode',
  '.idea',
  '.gitmodules',
  '.envrc',
];

/** Those that are also kept from being made where they are missing, as a folder without them is the usual one. */
const keptMissing: readonly string[] = ['.rondo', '.claude', '.mcp.json', '.git/hooks'];

/** What shells and tools run or read when the person uses them. */
const startUpFiles: readonly string[] = [
  '.bashrc',
  '.bash_profile',
  '.bash_login',
  '.bash_logout',
  '.profile',
  '.zshrc',
  '.zshenv',
  '.zprofile',
  '.zlogin',
  '.config/fish',
  '.config/git',
  '.config/systemd',
  '.config/autostart',
  '.gitconfig',
  '.npmrc',
  '.ssh',
  '.pam_environment',
  '.ripgreprc',
];

export interface ProtectedPlaces {
  /** Exist. */
  readonly present: readonly string[];
  /** Do not exist, and must not come into being. Their folders exist. */
  readonly missing: readonly string[];
}

/** How deep below a writable folder repositories are looked for. */
const deepest = 3;
const mostFolders = 1500;
const passedOver = new Set(['node_modules', '.git', 'target', 'dist', '.venv', '.cache']);

/** What of these writable folders is protected. A real path each; what is looked for is the same in every repository below. */
export async function findProtectedPlaces(folders: readonly string[], home: string): Promise<ProtectedPlaces> {
  const { repositories, closed } = await findRepositories(folders);
  const present = [...closed];
  const missing: string[] = [];
  const look = (path: string, keepMissing: boolean) => {
    if (exists(path)) present.push(path);
    else if (keepMissing && exists(dirname(path))) missing.push(path);
  };
  for (const folder of new Set([...folders, ...repositories])) {
    const has = await nameFinder(folder);
    for (const name of protectedNames) {
      const keeps = keptMissing.includes(name) && (folders.includes(folder) || name.startsWith('.git/'));
      if (keeps || has(name)) look(join(folder, name), keeps);
    }
    for (const name of startUpFiles) {
      const counts = name !== '.npmrc' || folder === home;
      if (counts && (folder === home || has(name))) look(join(folder, name), folder === home);
    }
    for (const git of has('.git') ? await gitFolders(folder) : []) {
      look(join(git, 'hooks'), true);
      look(join(git, 'config'), false);
    }
  }
  return { present: [...new Set(present)], missing: [...new Set(missing)] };
}

/** Tells of a path in the folder whether it may exist, also where letters of either case are the same name. */
async function nameFinder(folder: string): Promise<(path: string) => boolean> {
  const entries = await listFolder(folder);
  if (entries === undefined) return () => true;
  const names = new Set(entries.map(({ name }) => name.toLowerCase()));
  return (path) => names.has(path.split('/', 1)[0] ?? path);
}

async function findRepositories(folders: readonly string[]) {
  const repositories: string[] = [];
  // Nobody can tell what is in those, and a command could open them.
  const closed: string[] = [];
  let looked = 0;
  let level = [...folders];
  for (let depth = 0; depth < deepest && level.length > 0 && looked < mostFolders; depth += 1) {
    looked += level.length;
    const next: string[] = [];
    const looks = level.slice(0, mostFolders).map(async (folder) => ({ folder, entries: await listFolder(folder) }));
    for (const { folder, entries } of await Promise.all(looks)) {
      if (entries === undefined) {
        if (depth > 0) closed.push(folder);
        continue;
      }
      if (entries.some(({ name }) => name.toLowerCase() === '.git')) repositories.push(folder);
      for (const { name, isFolder } of entries) {
        if (isFolder && !passedOver.has(name)) next.push(join(folder, name));
      }
    }
    level = next;
  }
  return { repositories, closed };
}

/** The folders that git itself uses for a working tree: those of its submodules, and the one that a `.git` file names. */
async function gitFolders(folder: string): Promise<string[]> {
  const git = join(folder, '.git');
  const named = /^gitdir:\s*(.+)$/m.exec(readSmallFile(git))?.[1];
  if (named !== undefined) return [resolve(folder, named.trim())];
  const modules = join(git, 'modules');
  return ((await listFolder(modules)) ?? []).map(({ name }) => join(modules, name));
}

/** Empty where it is no file, or none that git could have written. */
function readSmallFile(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.size < 10_000 ? readFileSync(path, 'utf8') : '';
}

/** What cannot be looked at counts as being there. */
function exists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}
