import type { Tool } from '@rondo/runtime';
import type { Options } from './options.ts';
import { selectTools } from './select-tools.ts';
import { loadTools } from './load-package.ts';

/** The tools that the options ask for. Loads nothing where they ask for none. */
export async function sessionTools(wanted: Options['tools'], note: (text: string) => void): Promise<readonly Tool[]> {
  const { tools, unknown } = selectTools(await wantedTools(wanted), wanted);
  if (unknown.length > 0) note(`options.tools: there is no built-in tool ${unknown.join(', ')}.`);
  return tools;
}

async function wantedTools(wanted: Options['tools']): Promise<readonly Tool[]> {
  if (Array.isArray(wanted) && wanted.length === 0) return [];
  const { builtinTools, createBuiltinTools } = await loadTools();
  return Array.isArray(wanted) ? Object.values(builtinTools) : createBuiltinTools();
}
