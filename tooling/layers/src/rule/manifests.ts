import { house } from '../house.ts';
import type { PackageSource, SourceTree } from '../source/source-tree.ts';
import type { Problem } from './problem.ts';

/** No manifest declares what its package should not have, and versions stand in the catalog. */
export function manifests(tree: SourceTree): Problem[] {
  return [...tree.packages.values()].flatMap((source) =>
    faultsOf(source).map((message) => ({ where: `${source.folder}/package.json`, message })),
  );
}

function faultsOf({ name, manifest }: PackageSource): string[] {
  const plan = house[name];
  if (!plan) return [`package ${name} has no place in tooling/layers/src/house.ts`];
  const { dependencies, devDependencies, peerDependencies, optionalDependencies } = manifest;
  const published = { ...dependencies, ...peerDependencies, ...optionalDependencies };
  const all = { ...published, ...devDependencies };

  const faults: string[] = [];
  for (const [dependency, version] of Object.entries(all)) {
    const ours = /^@rondo\/(.+)$/.exec(dependency)?.[1];
    if (ours !== undefined) {
      const isTool = plan.buildsWith?.includes(ours) === true && !(dependency in published);
      if (!plan.ours.includes(ours) && !isTool) faults.push(`${name} must not depend on @rondo/${ours}`);
      if (!version.startsWith('workspace:')) faults.push(`${dependency} must be taken from the workspace`);
      continue;
    }
    if (version !== 'catalog:') faults.push(`${dependency} must take its version from the catalog`);
    const isPublished = dependency in published;
    if (isPublished && !plan.libraries.some((library) => matches(library, dependency))) {
      faults.push(`${name} must not bring ${dependency} to its users; see tooling/layers/src/house.ts`);
    }
  }
  return faults;
}

function matches(library: string, dependency: string): boolean {
  return library.endsWith('*') ? dependency.startsWith(library.slice(0, -1)) : library === dependency;
}
