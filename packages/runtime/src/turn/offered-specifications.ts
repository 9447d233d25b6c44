import { toolAlias } from '../context/tool-alias.ts';
import type { ToolSpecification } from '../model/model.ts';
import type { Tool } from '../tool/tool.ts';

export interface OfferedSpecifications {
  readonly specifications: readonly ToolSpecification[];
  /** The tools' own names, by the aliases under which they are offered. */
  readonly names: ReadonlyMap<string, string>;
}

/** An adapter keeps a specification's serialised form by its identity, so each has one copy under its alias. */
const aliased = new WeakMap<ToolSpecification, ToolSpecification>();

/**
 * The tools as a model is told of them: under names that every provider takes, each name once, in the order of their
 * names. The order in which tools were registered must not change the request.
 */
export function offeredSpecifications(tools: readonly Tool[]): OfferedSpecifications {
  const names = new Map<string, string>();
  const byAlias = new Map<string, ToolSpecification>();
  for (const tool of tools) {
    const alias = toolAlias(tool.name);
    // Of tools of one name the first is the one that runs.
    if (byAlias.has(alias)) continue;
    byAlias.set(alias, specificationAs(alias, tool.specification()));
    if (alias !== tool.name) names.set(alias, tool.name);
  }
  const specifications = [...byAlias.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { specifications, names };
}

function specificationAs(alias: string, specification: ToolSpecification): ToolSpecification {
  if (specification.name === alias) return specification;
  let renamed = aliased.get(specification);
  if (renamed === undefined) {
    renamed = Object.freeze({ ...specification, name: alias });
    aliased.set(specification, renamed);
  }
  return renamed;
}
