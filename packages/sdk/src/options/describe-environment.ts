import { readFile } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

export interface Surroundings {
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** What an agent should know of where it is: folder, branch, system, date. Reads two small files, starts no process. */
export async function describeEnvironment({ cwd, additionalDirectories, now }: Surroundings): Promise<string> {
  const repository = await findRepository(cwd);
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

async function findRepository(cwd: string): Promise<{ readonly root: string; readonly branch?: string } | undefined> {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const head = await readHead(folder);
    if (head !== undefined) {
      const branch =
        /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? (/^[0-9a-f]{40}/.test(head) ? head.slice(0, 12) : undefined);
      return { root: folder, ...(branch === undefined ? {} : { branch }) };
    }
    if (dirname(folder) === folder) return undefined;
  }
}

/** In a worktree or submodule `.git` is a file that names the real folder. */
async function readHead(folder: string): Promise<string | undefined> {
  const git = join(folder, '.git');
  const head = await read(join(git, 'HEAD'));
  if (head !== undefined) return head;
  const elsewhere = /^gitdir: (.+)$/m.exec((await read(git)) ?? '')?.[1];
  return elsewhere === undefined ? undefined : await read(join(resolve(folder, elsewhere), 'HEAD'));
}

/** By callback: every start runs this, and `node:fs/promises` loads a good deal more than it needs. */
function read(file: string): Promise<string | undefined> {
  return new Promise((done) => {
    readFile(file, 'utf8', (error, text) => done(error === null ? text.trim() : undefined));
  });
}

function localDate(now: number): string {
  const date = new Date(now);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
