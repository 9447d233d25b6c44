import { isBuiltin } from 'node:module';
import { house, nodeRooms } from '../house.ts';
import { resolveImport, roomOf, type SourceTree } from '../source/source-tree.ts';
import type { Problem } from './problem.ts';

/** A neutral package touches Node in its Node rooms alone, and nothing outside them imports one of them. */
export function neutralRooms(tree: SourceTree): Problem[] {
  const problems: Problem[] = [];
  for (const file of tree.files.values()) {
    if (!house[file.package.name]?.neutral || file.isTest || nodeRooms.includes(roomOf(file))) continue;
    for (const { specifier, line } of file.imports) {
      const target = resolveImport(tree, file, specifier);
      const reachesNode =
        isBuiltin(specifier) || (target?.package === file.package && nodeRooms.includes(roomOf(target)));
      if (!reachesNode) continue;
      const allowed = nodeRooms.map((room) => `src/${room}/`).join(' or ');
      problems.push({
        where: `${file.path}:${line}`,
        message: `${specifier} brings Node into a neutral room: it belongs under ${allowed}`,
      });
    }
  }
  return problems;
}
