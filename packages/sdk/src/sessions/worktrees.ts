import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';

/**
 * The folders that are the same place as this one in the other worktrees of its git repository, itself first. Reads what git keeps
 * of them and starts no process; a folder outside of git, or whose repository cannot be read, has only itself.
 */
export async function worktreeFolders(folder: string): Promise<string[]> {
  const here = resolve(folder);
  const found = await repositoryOf(here);
  if (found === undefined) return [here];
  const { worktree, common } = found;
  const below = here.slice(worktree.length);
  const names = await readdir(join(common, 'worktrees')).catch(() => []);
  const linked = await Promise.all(
    names.map(
      async (name) =>
        await firstLine(join(common, 'worktrees', name, 'gitdir')).then(
          (file) => file && dirname(resolve(common, 'worktrees', name, file)),
        ),
    ),
  );
  // The main worktree is where the common folder stands, unless the repository is a bare one.
  const main = common.endsWith(`${sep}.git`) ? [dirname(common)] : [];
  const roots = [...main, ...linked.filter((root) => root !== undefined && root !== '')];
  return [...new Set([here, ...roots.map((root) => root + below)])];
}

interface Repository {
  /** The worktree that the folder is in. */
  readonly worktree: string;
  /** What all worktrees share. */
  readonly common: string;
}

async function repositoryOf(here: string): Promise<Repository | undefined> {
  for (let worktree = here; ; worktree = dirname(worktree)) {
    const git = join(worktree, '.git');
    if ((await firstLine(join(git, 'HEAD'))) !== undefined) return { worktree, common: git };
    // Of a linked worktree, a file that names where git keeps what is its own.
    const own = /^gitdir: (.+)$/.exec((await firstLine(git)) ?? '')?.[1];
    if (own !== undefined) {
      const folder = resolve(worktree, own);
      const common = await firstLine(join(folder, 'commondir'));
      return { worktree, common: common === undefined ? folder : resolve(folder, common) };
    }
    if (dirname(worktree) === worktree) return undefined;
  }
}

async function firstLine(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text?.split('\n', 1)[0]?.trim();
}
