import type { JsonObject, JsonValue } from '@rondo/protocol';
import { contentKindOf, type Tool, type ToolAccess } from '@rondo/runtime';
import { loadTools } from '../options/load-package.ts';

/**
 * A tool of that name, to be asked about and never to be run: a built-in one, or one that says of its calls what their
 * arguments say by the usual names. Of a server's tool nothing is known.
 */
export async function permissionTool(name: string): Promise<Tool> {
  const { builtinTools } = await loadTools();
  const known = Object.values(builtinTools).find((tool) => tool.name === name);
  return known ?? unknownTool(name);
}

/** The argument that a call is about, for who names it without saying which. */
export function mainArgument(name: string): string | undefined {
  if (name === 'Glob' || name === 'Grep') return 'path';
  if (name === 'NotebookEdit') return 'notebook_path';
  if (name === 'Agent') return 'subagent_type';
  if (name === 'Skill') return 'skill';
  const kinds = { command: 'command', path: 'file_path', url: 'url', name: 'name', none: undefined } as const;
  return kinds[contentKindOf(name) ?? 'none'];
}

const persons: ReadonlySet<string> = new Set(['AskUserQuestion', 'ExitPlanMode']);

function unknownTool(name: string): Tool {
  const kind = contentKindOf(name) ?? 'none';
  return {
    name,
    description: '',
    kind: name.startsWith('mcp__') ? 'mcp' : 'builtin',
    ruleContent: kind,
    ...(persons.has(name) ? { requiresPerson: true } : {}),
    ...(name === 'Agent' ? { delegates: true as const } : {}),
    specification: () => ({ name, description: '', inputSchema: { type: 'object' } }),
    validate: (input) =>
      isObject(input) ? { ok: true, input } : { ok: false, problems: [{ path: '', message: 'takes an object' }] },
    effect: () => (persons.has(name) ? 'none' : 'once'),
    access: (input) => accessOf(kind, input, mainArgument(name)),
    run: () => Promise.reject(new Error(`${name} is only asked about`)),
  };
}

function accessOf(kind: Tool['ruleContent'], input: JsonObject, argument: string | undefined): ToolAccess {
  const value = argument === undefined ? undefined : input[argument];
  const text = typeof value === 'string' ? value : '';
  switch (kind) {
    case 'command':
      return { command: text, ...(input['dangerouslyDisableSandbox'] === true ? { unsandboxed: true } : {}) };
    case 'path':
      return { reads: [text], writes: [text] };
    case 'url':
      return { urls: [text] };
    case 'name':
      return { names: [text] };
    case 'none':
      return {};
  }
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
