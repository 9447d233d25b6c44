import { house, nodeRooms } from '../house.ts';
import { resolveImport, roomOf, type SourceTree } from '../source/source-tree.ts';
import type { Problem } from './problem.ts';

/** Inside a package with ordered rooms, a room imports rooms of lower levels only. Tests may look anywhere. */
export function roomOrder(tree: SourceTree): Problem[] {
  const problems: Problem[] = [];
  for (const file of tree.files.values()) {
    const rooms = house[file.package.name]?.rooms;
    if (!rooms || file.isTest || isAbove(file.inside)) continue;
    const levelOf = (room: string): number => rooms.findIndex((level) => level.includes(room));
    const room = roomOf(file);
    const level = levelOf(room);
    if (level === -1) {
      problems.push({ where: file.path, message: `room ${room} has no level in tooling/layers/src/house.ts` });
      continue;
    }
    for (const { specifier, line } of file.imports) {
      const target = resolveImport(tree, file, specifier);
      if (!target || target.package !== file.package || roomOf(target) === room) continue;
      const targetLevel = isAbove(target.inside) ? rooms.length : levelOf(roomOf(target));
      if (targetLevel < level) continue;
      problems.push({
        where: `${file.path}:${line}`,
        message: `room ${room} must not import ${roomOf(target)}, which is not to its left: take it as a parameter`,
      });
    }
  }
  return problems;
}

/** Entries and Node rooms stand above all rooms: they may import each of them, and no room imports them. */
function isAbove(inside: string): boolean {
  return inside === 'index.ts' || nodeRooms.includes(inside.split('/')[0] ?? '');
}
