import { type NameBytes, nameOfKey, orderKey } from '../search/file-names.ts';
import { compareKeys, createFirstInOrder } from '../search/first-in-order.ts';
import { createCountReader, createNameReader } from '../search/name-reader.ts';
import type { Search } from '../search/open-search.ts';
import { fileFilter } from './file-filter.ts';
import type { GrepInput } from './grep-input.ts';
import { matchArgs } from './match-args.ts';
import { type EngineEnd, searchWithEngine } from './search-with-engine.ts';

export interface MatchingFile {
  readonly name: NameBytes;
  /** Of matching lines, where they were counted; matches where those go over lines. */
  readonly count: number;
}

export interface MatchingFiles extends EngineEnd {
  /** The first of them by path. */
  readonly files: readonly MatchingFile[];
  readonly totalFiles: number;
  readonly totalCount: number;
}

export interface FindOptions {
  /** Else ripgrep leaves each file at its first match. */
  readonly counts: boolean;
  /** How many files are needed. */
  readonly most: number;
}

/** Finds the files with a match. All of them have to be looked at, since they come in no order. */
export async function findMatching(search: Search, input: GrepInput, options: FindOptions): Promise<MatchingFiles> {
  const { counts, most } = options;
  const { file } = search;
  const filter = fileFilter(input, search.folder.path);
  const args = [counts ? '--count' : '--files-with-matches', ...matchArgs(input)];
  const first = createFirstInOrder<{ readonly key: string; readonly count: number }>(most, (left, right) =>
    compareKeys(left.key, right.key),
  );
  let totalFiles = 0;
  let totalCount = 0;
  const take = (name: NameBytes, count: number): void => {
    if (file === undefined && !(filter.matches(name) && search.isShown(name))) return;
    totalFiles += 1;
    totalCount += count;
    first.add({ key: orderKey(file?.name ?? name), count });
  };
  const read = counts ? createCountReader(take) : createNameReader((name) => take(name, 1));
  const onOutput = (chunk: Buffer): 'more' => {
    read(chunk);
    return 'more';
  };
  const end = await searchWithEngine(search, input, (engine) =>
    file === undefined
      ? search.walk(['--with-filename', ...filter.args, ...engine, ...args], onOutput)
      : search.read([file.descriptor], [...engine, ...args], onOutput),
  );
  const files = first.items().map(({ key, count }) => ({ name: nameOfKey(key), count }));
  return { ...end, files, totalFiles, totalCount };
}
