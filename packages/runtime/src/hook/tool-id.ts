import type { Tool } from '../tool/tool.ts';

/** The tool by namespace and name. A program's own tools are in `client`; others carry their namespace in their name. */
export function toolId({ kind, name }: Pick<Tool, 'kind' | 'name'>): string {
  return kind === 'local' || kind === 'client' ? `client.${name}` : name;
}
