import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SearchCost } from '../search/search-cost.ts';
import type { Supervisor } from './run-supervised.ts';

export interface SearchOptions {
  readonly supervisor: Supervisor;
  /** A folder for the tree. */
  readonly folder: string;
  readonly files: number;
  readonly runs: number;
}

const program = (name: string): string => fileURLToPath(new URL(`../search/${name}.ts`, import.meta.url));

/** Searches in one large tree, by ripgrep alone and by the tools in turn. */
export async function measureSearch({ supervisor, folder, files, runs }: SearchOptions): Promise<SearchCost[]> {
  const tree = path.join(folder, 'tree');
  await supervisor.run([process.execPath, program('make-tree'), tree, String(files)]);
  const { stdout } = await supervisor.run([
    process.execPath,
    program('search-tree'),
    tree,
    String(files),
    String(runs),
  ]);
  return JSON.parse(stdout) as SearchCost[];
}
