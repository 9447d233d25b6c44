import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { RondoError } from '@rondo/protocol/values';
import type { Binding } from '@rondo/runtime';
import type { Environment } from '../options/command-environment.ts';
import { definitionOf } from './agent-brand.ts';
import type { AgentOptions } from './agent-options.ts';
import { checkAgentOptions, compileAgent, defaultAgentName } from './compile-agent.ts';

/** An agent that a module of a folder exports. */
export interface LoadedAgent {
  readonly name: string;
  /** The module. */
  readonly file: string;
  /** To be bound under {@link agentBindingId}. Where its sessions are kept, the host decides, not the agent. */
  readonly binding: Binding;
}

export interface LoadAgentsOptions {
  /** Where recorded models are looked for. */
  readonly home: string;
  /** `process.env` unless given, and unless an agent brings its own. */
  readonly env?: Environment;
}

const moduleName = /\.(m?js|m?ts)$/;
const noModule = /\.(test|test-d|spec|d)\.m?[jt]s$/;

/** What clients of a host name to work with an agent that it serves. */
export function agentBindingId(name: string): string {
  return `agent:${name}`;
}

/** What an agent of a folder is made of. */
export interface AgentDefinition extends Pick<LoadedAgent, 'name' | 'file'> {
  readonly options: AgentOptions;
}

/**
 * The agents of a folder: every module in it has an `Agent`, or what one is made of, as its default export. The modules
 * run with all rights of this process, so that a folder is loaded only where its user names it and no other can write.
 * @throws RondoError `input.invalid`, naming each file and what is wrong with it.
 */
export async function loadAgents(folder: string, options: LoadAgentsOptions): Promise<readonly LoadedAgent[]> {
  return await loadEach(folder, async (file) => await loadAgent(file, options));
}

/** The same, without what they need to run: neither a key nor a model is looked for. */
export async function loadAgentDefinitions(folder: string): Promise<readonly AgentDefinition[]> {
  return await loadEach(folder, readDefinition);
}

async function loadEach<Loaded extends Pick<LoadedAgent, 'name' | 'file'>>(
  folder: string,
  load: (file: string) => Promise<Loaded>,
): Promise<readonly Loaded[]> {
  const path = resolve(folder);
  const names = await readdir(path).catch((error: unknown) => {
    throw refused(path, `cannot be read: ${reasonOf(error)}`);
  });
  const files = names.filter((name) => moduleName.test(name) && !noModule.test(name)).toSorted();
  if (files.length === 0) throw refused(path, 'has no module of an agent (.js, .mjs, .ts or .mts) in it');
  await Promise.all([path, ...files.map((file) => join(path, file))].map(requirePrivate));
  const loaded = await Promise.allSettled(files.map((file) => load(join(path, file))));
  const problems = loaded.flatMap((result) => (result.status === 'rejected' ? [reasonOf(result.reason)] : []));
  const agents = loaded.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  for (const [index, { name, file }] of agents.entries()) {
    const first = agents.slice(0, index).find((other) => other.name === name);
    if (first !== undefined) problems.push(`${file}: there is another agent "${name}", in ${first.file}`);
  }
  if (problems.length === 0) return agents;
  throw new RondoError('input.invalid', problems.join('\n'), { details: { folder: path } });
}

async function loadAgent(path: string, { home, env = process.env }: LoadAgentsOptions): Promise<LoadedAgent> {
  const { name, file, options } = await readDefinition(path);
  try {
    return { name, file, binding: await compileAgent(options, options.env ?? env, home) };
  } catch (error) {
    throw new Error(`${file}: ${reasonOf(error)}`, { cause: error });
  }
}

async function readDefinition(file: string): Promise<AgentDefinition> {
  try {
    const { default: exported } = (await import(pathToFileURL(file).href)) as { readonly default?: unknown };
    const options = definitionOf(exported) ?? plainDefinition(exported);
    checkAgentOptions(options);
    return { name: options.name ?? defaultAgentName, file, options };
  } catch (error) {
    throw new Error(`${file}: ${reasonOf(error)}`, { cause: error });
  }
}

function plainDefinition(exported: unknown): AgentOptions {
  if (exported === undefined) throw new TypeError('there is no default export; export an Agent of @rondo/sdk/agent');
  if (typeof exported === 'object' && exported !== null && 'model' in exported) return exported as AgentOptions;
  throw new TypeError('the default export is neither an Agent of @rondo/sdk/agent nor what one is made of');
}

/** Who could write there could run anything as this user. */
async function requirePrivate(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const { mode, uid } = await stat(path);
  if ((mode & 0o002) !== 0) throw refused(path, `can be written by everybody; chmod o-w ${path}`);
  if (uid !== process.getuid?.() && uid !== 0) throw refused(path, 'belongs to another user, whose code is not run');
}

function refused(path: string, why: string): RondoError {
  return new RondoError('input.invalid', `${path} ${why}`, { details: { path } });
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
