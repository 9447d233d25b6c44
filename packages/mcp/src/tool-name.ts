/** The longest name that a tool may have here; models know long ones under an alias. */
const LONGEST = 256;

const unusual = /[^\p{L}\p{M}\p{N}_-]/gu;

/**
 * A server's part of its tools' names. Two underscores in a row would end it for the permission rules, so that a rule for
 * `a` would be one for `a__b`: they become one.
 * @returns undefined for a name of which nothing is left.
 */
export function serverPart(server: string): string | undefined {
  const part = server.replace(unusual, '_').replace(/_{2,}/g, '_').replace(/_$/, '');
  return part === '' || part === '_' ? undefined : part;
}

/** How permission rules, hooks and the model name a server's tool; undefined for one that cannot be named. */
export function mcpToolName(server: string, tool: string): string | undefined {
  const part = serverPart(server);
  const name = `mcp__${part}__${tool.replace(unusual, '_')}`;
  return part === undefined || tool === '' || name.length > LONGEST ? undefined : name;
}
