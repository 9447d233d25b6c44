import type { Tool } from '@rondo/runtime';
import type { Options } from './options.ts';

export interface ToolSelection {
  readonly tools: readonly Tool[];
  /** Names that were asked for and that no built-in tool has. */
  readonly unknown: readonly string[];
}

/** The tools that were asked for: those named, none, or all that an ordinary session has. */
export function selectTools(builtin: readonly Tool[], wanted: Options['tools']): ToolSelection {
  if (!Array.isArray(wanted)) return { tools: builtin, unknown: [] };
  const known = new Set(builtin.map((tool) => tool.name));
  return {
    tools: builtin.filter((tool) => wanted.includes(tool.name)),
    unknown: wanted.filter((name) => !known.has(name)),
  };
}
