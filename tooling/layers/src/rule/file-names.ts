import { posix } from 'node:path';
import { junkNames } from '../house.ts';
import type { SourceTree } from '../source/source-tree.ts';
import type { Problem } from './problem.ts';

/** No junk drawers: neither a file nor a folder goes by a name that says nothing about its job. */
export function fileNames(tree: SourceTree): Problem[] {
  return [...tree.files.values()].flatMap((file) => {
    const parts = file.inside.split('/').map((part) => posix.basename(part).replace(/\..*$/, ''));
    const junk = parts.find((part) => junkNames.includes(part));
    return junk === undefined
      ? []
      : [{ where: file.path, message: `"${junk}" names no job: name the room or file after what it does` }];
  });
}
