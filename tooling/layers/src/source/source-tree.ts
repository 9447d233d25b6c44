import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { type Import, readImports } from './read-imports.ts';

export interface Manifest {
  name: string;
  private?: boolean;
  exports?: Record<string, string | Record<string, string>>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

export interface PackageSource {
  /** Name without the scope: `runtime`. */
  name: string;
  /** Folder from the root of the repository: `packages/runtime`. */
  folder: string;
  manifest: Manifest;
}

export interface SourceFile {
  /** Path from the root of the repository, with slashes. */
  path: string;
  text: string;
  package: PackageSource;
  /** Path below the package's `src`. */
  inside: string;
  isTest: boolean;
  imports: readonly Import[];
}

export interface SourceTree {
  packages: ReadonlyMap<string, PackageSource>;
  files: ReadonlyMap<string, SourceFile>;
}

/** The sources of packages/ and apps/ under a repository root. */
export function loadSourceTree(root: string): SourceTree {
  const found = globSync(['{packages,apps}/*/package.json', '{packages,apps}/*/src/**/*.{ts,tsx}'], { cwd: root });
  return sourceTree(Object.fromEntries(found.map((path) => [path, readFileSync(join(root, path), 'utf8')])));
}

/** A tree from texts by path, manifests among them. */
export function sourceTree(texts: Readonly<Record<string, string>>): SourceTree {
  const packages = new Map<string, PackageSource>();
  for (const [path, text] of Object.entries(texts)) {
    if (posix.basename(path) !== 'package.json') continue;
    const folder = posix.dirname(path);
    const manifest = JSON.parse(text) as Manifest;
    const name = manifest.name.replace(/^@rondo\//, '');
    packages.set(name, { name, folder, manifest });
  }
  const files = new Map<string, SourceFile>();
  for (const [path, text] of Object.entries(texts)) {
    if (posix.basename(path) === 'package.json') continue;
    const owner = [...packages.values()].find(({ folder }) => path.startsWith(`${folder}/src/`));
    if (!owner) continue;
    files.set(path, {
      path,
      text,
      package: owner,
      inside: path.slice(`${owner.folder}/src/`.length),
      isTest: /\.test(-d)?\.tsx?$/.test(path),
      imports: readImports(path, text),
    });
  }
  return { packages, files };
}

/** The file of this tree that an import leads to; undefined for a third party, a built-in, or a missing file. */
export function resolveImport(tree: SourceTree, from: SourceFile, specifier: string): SourceFile | undefined {
  if (specifier.startsWith('.')) return tree.files.get(posix.join(posix.dirname(from.path), specifier));
  const match = /^@rondo\/([^/]+)(\/.*)?$/.exec(specifier);
  if (!match) return undefined;
  const target = tree.packages.get(match[1] ?? '');
  const entry = target?.manifest.exports?.[`.${match[2] ?? ''}`];
  if (!target || typeof entry !== 'object') return undefined;
  return tree.files.get(posix.join(target.folder, entry['@rondo/source'] ?? ''));
}

/** The first folder below `src`, or the file itself when it stands at the top. */
export function roomOf(file: SourceFile): string {
  return file.inside.split('/')[0] ?? '';
}
