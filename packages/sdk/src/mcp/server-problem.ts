import { RondoError } from '@rondo/protocol/values';
import { shown } from '../options/option-value.ts';

/** What keeps a server from being served, in words that follow its name; undefined for one of this program. */
export function serverProblem(config: unknown): string | undefined {
  if (typeof config !== 'object' || config === null || Array.isArray(config))
    return "takes a server's configuration, such as what createSdkMcpServer() gives";
  const { type = 'stdio', instance } = config as Readonly<Record<string, unknown>>;
  switch (type) {
    case 'sdk':
      return isServer(instance) ? undefined : "is of type 'sdk' and has no instance with connect() and close()";
    case 'stdio':
    case 'http':
    case 'sse':
      return `is a server of type '${type}', which a later version serves; this one serves those of type 'sdk', which run in the program`;
    case 'claudeai-proxy':
      return "is of type 'claudeai-proxy', which has no meaning here: there is no account to reach it by";
    default:
      return `has the type ${JSON.stringify(type)}, and there is none such; this version serves those of type 'sdk'`;
  }
}

function isServer(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { connect, close } = value as Readonly<Record<string, unknown>>;
  return typeof connect === 'function' && typeof close === 'function';
}

/** @throws RondoError `input.invalid` that names the first server that is not served. */
export function checkMcpServers(servers: Readonly<Record<string, unknown>>, option: string): void {
  for (const [name, config] of Object.entries(servers)) {
    const problem = serverProblem(config);
    if (problem !== undefined) throw refused(`${option}.${name} ${problem}.`, option);
  }
}

/** @throws RondoError `input.invalid` for names that are no built-in tool's, or no tool's of a server. */
export function checkToolAliases(aliases: Readonly<Record<string, unknown>>): void {
  const option = 'options.toolAliases';
  const used = new Map<unknown, string>();
  for (const [name, target] of Object.entries(aliases)) {
    if (name.startsWith('mcp__') || name.trim() === '')
      throw refused(`${option}: ${JSON.stringify(name)} is no name of a built-in tool.`, option);
    if (typeof target !== 'string' || !/^mcp__.+__./s.test(target))
      throw refused(
        `${option}.${name} takes the name of a server's tool, such as mcp__server__tool, not ${shown(target)}.`,
        option,
      );
    const other = used.get(target);
    if (other !== undefined)
      throw refused(
        `${option}: ${target} cannot stand for ${other} and for ${name}; give each a tool of its own.`,
        option,
      );
    used.set(target, name);
  }
}

function refused(message: string, option: string): RondoError {
  return new RondoError('input.invalid', message, { details: { option: option.replace(/^options\./, '') } });
}
