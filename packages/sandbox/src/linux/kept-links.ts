import { lstat, readlink, rm, symlink } from 'node:fs/promises';

/** A link that must lead where it leads. Nothing can be mounted over it, as over a file or folder. */
export interface KeptLink {
  readonly path: string;
  readonly target: string;
}

/** Those of the paths that are links. */
export async function findLinks(paths: readonly string[]): Promise<KeptLink[]> {
  const links = await Promise.all(
    paths.map(async (path) => {
      const isLink = (await lstat(path).catch(() => undefined))?.isSymbolicLink() === true;
      return isLink ? { path, target: await readlink(path) } : undefined;
    }),
  );
  return links.filter((link) => link !== undefined);
}

/** Puts back those that the command replaced, in place of whatever it put there, once nothing of it runs; says which. */
export async function restoreLinks(links: readonly KeptLink[]): Promise<string[]> {
  const restored: string[] = [];
  for (const { path, target } of links) {
    if ((await readlink(path).catch(() => undefined)) === target) continue;
    await rm(path, { recursive: true, force: true });
    await symlink(target, path);
    restored.push(path);
  }
  return restored;
}
