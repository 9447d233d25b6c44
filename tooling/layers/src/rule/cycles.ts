import { resolveImport, type SourceFile, type SourceTree } from '../source/source-tree.ts';
import type { Problem } from './problem.ts';

interface Edge {
  target: SourceFile;
  line: number;
}

/** No file reaches itself through imports, type imports included. One problem a tangle, with its shortest way round. */
export function cycles(tree: SourceTree): Problem[] {
  const edges = new Map<SourceFile, Edge[]>();
  for (const file of tree.files.values()) {
    const targets = file.imports.flatMap(({ specifier, line }) => {
      const target = resolveImport(tree, file, specifier);
      return target ? [{ target, line }] : [];
    });
    edges.set(file, targets);
  }

  const problems: Problem[] = [];
  const reported = new Set<SourceFile>();
  for (const file of tree.files.values()) {
    if (reported.has(file)) continue;
    const way = wayRound(file, edges);
    if (!way) continue;
    for (const { target } of way) reported.add(target);
    const steps = way.map(({ target }) => target.path);
    problems.push({ where: `${file.path}:${way[0]?.line}`, message: `cycle: ${[file.path, ...steps].join(' → ')}` });
  }
  return problems;
}

/** The shortest chain of imports from a file back to itself. */
function wayRound(start: SourceFile, edges: ReadonlyMap<SourceFile, readonly Edge[]>): Edge[] | undefined {
  const ways: Edge[][] = (edges.get(start) ?? []).map((edge) => [edge]);
  const seen = new Set<SourceFile>();
  for (const way of ways) {
    const last = way.at(-1)?.target;
    if (last === start) return way;
    if (!last || seen.has(last)) continue;
    seen.add(last);
    for (const edge of edges.get(last) ?? []) ways.push([...way, edge]);
  }
  return undefined;
}
