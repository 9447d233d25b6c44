import type { SourceTree } from '../source/source-tree.ts';
import { cycles } from './cycles.ts';
import { entryPoints } from './entry-points.ts';
import { fileNames } from './file-names.ts';
import { manifests } from './manifests.ts';
import { neutralRooms } from './neutral-rooms.ts';
import { packageDirections } from './package-directions.ts';
import type { Problem } from './problem.ts';
import { roomOrder } from './room-order.ts';

/** Every breach of the house's walls that its sources and manifests show. */
export function checkHouse(tree: SourceTree): Problem[] {
  return [manifests, packageDirections, roomOrder, neutralRooms, cycles, entryPoints, fileNames].flatMap((rule) =>
    rule(tree),
  );
}
