import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface PublicPackage {
  name: string;
  version: string;
  /** Absolute. */
  folder: string;
  /** Names of the workspace packages that its users get with it. */
  brings: readonly string[];
  /** It is a command alone: no entry to import, so no types to resolve. */
  isCommand: boolean;
}

interface Manifest {
  name: string;
  version: string;
  private?: boolean;
  bin?: unknown;
  exports?: Record<string, unknown>;
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

/** What the house publishes. */
export function publicPackages(root: string): PublicPackage[] {
  return globSync('{packages,apps}/*/package.json', { cwd: root }).flatMap((path) => {
    const manifest = JSON.parse(readFileSync(join(root, path), 'utf8')) as Manifest;
    if (manifest.private) return [];
    const { name, version, bin, exports, dependencies, peerDependencies, optionalDependencies } = manifest;
    const brings = Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies });
    return {
      name,
      version,
      folder: join(root, dirname(path)),
      brings: brings.filter((dependency) => dependency.startsWith('@rondo/')),
      isCommand: bin !== undefined && !Object.hasOwn(exports ?? {}, '.'),
    };
  });
}

/** The packages named and all of ours that they bring. */
export function withWhatTheyBring(packages: readonly PublicPackage[], names: readonly string[]): PublicPackage[] {
  const taken = new Map<string, PublicPackage>();
  const take = (name: string): void => {
    const found = packages.find((candidate) => candidate.name === name);
    if (!found) throw new Error(`${name} is needed, but the house does not publish it`);
    if (taken.has(name)) return;
    taken.set(name, found);
    found.brings.forEach(take);
  };
  names.forEach(take);
  return [...taken.values()];
}
