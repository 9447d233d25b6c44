import { dirname, join, resolve } from 'node:path';
import { textOf } from '../trust/find-repository.ts';
import { isThere } from '../trust/named-paths.ts';

export interface Surroundings {
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** What `findRepository` found for the folder. */
  readonly repository: SurroundingRepository | undefined;
}

/** The repository that a folder is in, and the branch that is checked out there or the beginning of its commit. */
export interface SurroundingRepository {
  readonly root: string;
  readonly branch?: string;
}

/** What an agent should know of where it is: folder, branch, system, date. */
export function describeEnvironment({ cwd, additionalDirectories, now, repository }: Surroundings): string {
  const lines = [
    `Working folder: ${cwd}`,
    ...additionalDirectories.map((folder) => `Additional folder: ${folder}`),
    repository === undefined ? 'Git repository: none' : `Git repository: ${repository.root}`,
    ...(repository?.branch === undefined ? [] : [`Git branch: ${repository.branch}`]),
    `Platform: ${process.platform} ${process.arch}`,
    `Date: ${localDate(now())}`,
  ];
  return `Your surroundings as this turn begins:\n${lines.join('\n')}`;
}

/** Reads two small files, starts no process. */
export function findRepository(cwd: string): SurroundingRepository | undefined {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const head = readHead(folder);
    if (head !== undefined) {
      const branch =
        /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? (/^[0-9a-f]{40}/.test(head) ? head.slice(0, 12) : undefined);
      return { root: folder, ...(branch === undefined ? {} : { branch }) };
    }
    if (dirname(folder) === folder) return undefined;
  }
}

/** In a worktree or submodule `.git` is a file that names the real folder. At once: handing it to a thread takes longer. */
function readHead(folder: string): string | undefined {
  const git = join(folder, '.git');
  if (!isThere(git)) return undefined;
  const head = textOf(join(git, 'HEAD'));
  if (head !== undefined) return head.trim();
  const elsewhere = /^gitdir: (.+)$/m.exec(textOf(git) ?? '')?.[1];
  return elsewhere === undefined ? undefined : textOf(join(resolve(folder, elsewhere), 'HEAD'))?.trim();
}

function localDate(now: number): string {
  const date = new Date(now);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
