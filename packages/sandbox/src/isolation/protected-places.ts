import { access, readdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

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
  const repositories = new Set(await findRepositories(folders));
  const present: string[] = [];
  const missing: string[] = [];
  const look = async (path: string, keepMissing: boolean) => {
    if (await exists(path)) present.push(path);
    else if (keepMissing && (await exists(dirname(path)))) missing.push(path);
  };
  const looks: Promise<void>[] = [];
  for (const folder of new Set([...folders, ...repositories])) {
    for (const name of protectedNames) {
      const keeps = keptMissing.includes(name) && (folders.includes(folder) || name.startsWith('.git/'));
      looks.push(look(join(folder, name), keeps));
    }
    for (const name of startUpFiles) {
      if (name !== '.npmrc' || folder === home) looks.push(look(join(folder, name), folder === home));
    }
    looks.push(
      ...(await gitFolders(folder)).flatMap((git) => [
        look(join(git, 'hooks'), true),
        look(join(git, 'config'), false),
      ]),
    );
  }
  await Promise.all(looks);
  return { present: [...new Set(present)], missing: [...new Set(missing)] };
}

async function findRepositories(folders: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  let looked = 0;
  let level = [...folders];
  for (let depth = 0; depth < deepest && level.length > 0 && looked < mostFolders; depth += 1) {
    looked += level.length;
    const next = await Promise.all(level.slice(0, mostFolders).map(childFolders));
    for (const { folder, isRepository } of next) if (isRepository) found.push(folder);
    level = next.flatMap(({ children }) => children);
  }
  return found;
}

async function childFolders(folder: string) {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return {
    folder,
    isRepository: entries.some(({ name }) => name === '.git'),
    children: entries
      .filter((entry) => entry.isDirectory() && !passedOver.has(entry.name))
      .map(({ name }) => join(folder, name)),
  };
}

/** The folders that git itself uses for a working tree: those of its submodules, and the one that a `.git` file names. */
async function gitFolders(folder: string): Promise<string[]> {
  const git = join(folder, '.git');
  const named = /^gitdir:\s*(.+)$/m.exec(await readFile(git, 'utf8').catch(() => ''))?.[1];
  if (named !== undefined) return [resolve(folder, named.trim())];
  const modules = join(git, 'modules');
  const names = await readdir(modules).catch(() => []);
  return names.map((name) => join(modules, name));
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT' && error.code !== 'ENOTDIR',
  );
}
