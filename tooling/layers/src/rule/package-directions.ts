import { house, type PackagePlan } from '../house.ts';
import { roomOf, type SourceFile, type SourceTree } from '../source/source-tree.ts';
import type { Problem } from './problem.ts';

/** Each package imports what its place in the house allows, by an entry, and nothing by a path into a neighbour. */
export function packageDirections(tree: SourceTree): Problem[] {
  return [...tree.files.values()].flatMap((file) => {
    const plan = house[file.package.name];
    return plan
      ? file.imports.flatMap(({ specifier, line }) => {
          const message = faultOf(file, plan, specifier);
          return message === undefined ? [] : [{ where: `${file.path}:${line}`, message }];
        })
      : [{ where: file.path, message: `package ${file.package.name} has no place in tooling/layers/src/house.ts` }];
  });
}

function faultOf(file: SourceFile, plan: PackagePlan, specifier: string): string | undefined {
  if (specifier.startsWith('.')) {
    const target = new URL(specifier, `file:///${file.path}`).pathname.slice(1);
    const isInside = target.startsWith(`${file.package.folder}/`);
    return isInside ? undefined : `${specifier} leads out of the package: import a neighbour by its name`;
  }
  const ours = /^@rondo\/([^/]+)/.exec(specifier)?.[1];
  if (ours === file.package.name) return `${specifier} is the package itself: import the file`;
  if (ours !== undefined && !plan.ours.includes(ours)) {
    return `${file.package.name} must not import @rondo/${ours}; it may import ${plan.ours.join(', ') || 'none of ours'}`;
  }
  const rooms = plan.confined?.[specifier];
  if (rooms && !file.isTest && !rooms.includes(roomOf(file))) {
    return `${specifier} belongs under ${rooms.map((room) => `src/${room}/`).join(', ')} alone`;
  }
  return undefined;
}
