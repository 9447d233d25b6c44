import { posix } from 'node:path';
import { parseSync } from 'oxc-parser';
import type { PackageSource, SourceTree } from '../source/source-tree.ts';

/** What a package offers, one line a name: the entry, then the name, marked when it is a type alone. Sorted. */
export function exportNames(tree: SourceTree, source: PackageSource): string[] {
  const lines: string[] = [];
  for (const [entry, target] of Object.entries(source.manifest.exports ?? {})) {
    const path = typeof target === 'object' ? target['@rondo/source'] : undefined;
    if (path === undefined) continue;
    const file = tree.files.get(posix.join(source.folder, path));
    if (!file) throw new Error(`${source.folder}: entry ${entry} has no source at ${path}`);
    lines.push(...namesOf(file.path, file.text).map((name) => `${entry} ${name}`));
  }
  return [...new Set(lines)].sort();
}

function namesOf(path: string, text: string): string[] {
  const values = new Set<string>();
  const types = new Set<string>();
  for (const { entries } of parseSync(path, text).module.staticExports) {
    for (const { exportName, isType } of entries) {
      const name = exportName.kind === 'Default' ? 'default' : (exportName.name ?? '*');
      (isType ? types : values).add(name);
    }
  }
  return [...values, ...[...types].filter((name) => !values.has(name)).map((name) => `type ${name}`)];
}
