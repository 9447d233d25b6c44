import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Problem } from '../rule/problem.ts';
import type { SourceTree } from '../source/source-tree.ts';
import { exportNames } from './export-names.ts';

const fileName = 'exports.txt';

/** The public surface changes on purpose: each package's `exports.txt` holds every name of every entry. */
export function pinProblems(tree: SourceTree, readPin: (folder: string) => string | undefined): Problem[] {
  const problems: Problem[] = [];
  for (const source of tree.packages.values()) {
    const found = exportNames(tree, source);
    const where = `${source.folder}/${fileName}`;
    const pinned = (readPin(source.folder) ?? '').split('\n').filter((line) => line !== '');
    for (const line of found.filter((name) => !pinned.includes(name))) {
      problems.push({ where, message: `new export "${line}": run "npm run pins" if it is meant, and add a changeset` });
    }
    for (const line of pinned.filter((name) => !found.includes(name))) {
      problems.push({
        where,
        message: `lost export "${line}": run "npm run pins" if it is meant, and add a changeset`,
      });
    }
  }
  return problems;
}

export function readPinUnder(root: string): (folder: string) => string | undefined {
  return (folder) => {
    const file = join(root, folder, fileName);
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  };
}

/** Writes what the packages offer now; the difference is for a reviewer to read. */
export function writePins(root: string, tree: SourceTree): void {
  for (const source of tree.packages.values()) {
    const names = exportNames(tree, source);
    if (names.length > 0) writeFileSync(join(root, source.folder, fileName), `${names.join('\n')}\n`);
  }
}
