import { isAbsolute } from 'node:path';

interface ModuleGraph {
  getModuleInfo(moduleId: string): { readonly importedIds: readonly string[] } | null;
}

interface ChunkGroup {
  readonly debugName: string;
  readonly name: (moduleId: string, graph: ModuleGraph) => string | null;
}

export interface Load {
  readonly name: string;
  readonly modules: readonly string[];
}

/**
 * Puts what is loaded together into one file: a bundler left to itself makes a file for each set of users, and every
 * file is a part of a millisecond of every start. `loads` come first, in their order: what a load reaches without a
 * dynamic import, and no load before it, is its file. Of the rest, what the same entries reach is a file, so that no
 * entry comes to load what it has not asked for.
 */
export function entryChunks(loads: readonly Load[], entries: readonly string[]): ChunkGroup {
  let names: ReadonlyMap<string, string> | undefined;
  return {
    debugName: 'loaded together',
    name(moduleId, graph) {
      names ??= namesOf(loads, entries, graph);
      return names.get(moduleId) ?? (isBundlerHelper(moduleId) ? (loads[0]?.name ?? null) : null);
    },
  };
}

function namesOf(loads: readonly Load[], entries: readonly string[], graph: ModuleGraph): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { name, modules } of loads) {
    for (const moduleId of reach(modules, graph)) if (!names.has(moduleId)) names.set(moduleId, name);
  }
  const users = new Map<string, number[]>();
  for (const [index, entry] of entries.entries()) {
    for (const moduleId of reach([entry], graph)) {
      if (!names.has(moduleId)) users.set(moduleId, [...(users.get(moduleId) ?? []), index]);
    }
  }
  for (const [moduleId, indexes] of users) names.set(moduleId, `shared-${indexes.join('-')}`);
  // An entry is a file of its own.
  for (const entry of entries) names.delete(entry);
  return names;
}

/** What the modules load at once, themselves included. Libraries and Node's modules keep the names they are imported by. */
function reach(modules: readonly string[], graph: ModuleGraph): ReadonlySet<string> {
  const reached = new Set(modules);
  for (const moduleId of reached) {
    for (const imported of graph.getModuleInfo(moduleId)?.importedIds ?? []) {
      if (isAbsolute(imported)) reached.add(imported);
    }
  }
  return reached;
}

function isBundlerHelper(moduleId: string): boolean {
  return moduleId.includes('@oxc-project');
}
