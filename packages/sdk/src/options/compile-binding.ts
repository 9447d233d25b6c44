import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { RondoError } from '@rondo/protocol/values';
import { compilePolicy, isToolRemoved, type Binding, type Policy, type Thinking, type Tool } from '@rondo/runtime';
import { canUseToolAsker } from './can-use-tool-asker.ts';
import { commandEnvironment, providerSecrets, type Environment } from './command-environment.ts';
import { describeEnvironment } from './describe-environment.ts';
import { configuredKeyVariables, loadModel } from './load-model.ts';
import { loadSandbox } from './load-sandbox.ts';
import { modelRetries } from './model-retries.ts';
import type { Options } from './options.ts';
import { recordTo } from './record-to.ts';
import { selectTools } from './select-tools.ts';
import { systemPromptText } from './system-prompt.ts';
import { readUserSettings } from '../settings/user-settings.ts';

export interface CompileOptions {
  readonly env: Environment;
  /** Where the person's settings and the sessions are. */
  readonly home: string;
  /** Hears what a person may want to know. */
  readonly note: (text: string) => void;
  /** The model that the session ran with last, for when none is named. */
  readonly lastModel?: string | undefined;
}

/** The agent that every `query()` is: any of them may go on with a session of another. */
const agent = { name: 'rondo', fingerprint: 'query/v0' } as const;

/**
 * What a session runs with, from what `query()` was given. Loads the model's adapter, the tools and the sandbox at once.
 * @throws RondoError `input.invalid`, `model.unknown`, `model.key_missing`, `permission.rule_unsupported`,
 * `permission.bypass_refused`.
 */
export async function compileBinding(options: Options, compile: CompileOptions): Promise<Binding> {
  const { env, home, note, lastModel } = compile;
  const { models, settingSources = ['user'] } = options;
  const directories = foldersOf(options);
  const [cwd, ...additionalDirectories] = directories;
  const user = settingSources.includes('user') ? readUserSettings(home) : {};
  const keyVariables = configuredKeyVariables(user.models, models);
  const [loaded, builtin, sandbox] = await Promise.all([
    loadModel(options.model ?? lastModel, { env, user, models, cwd, home }),
    loadTools(options.tools),
    loadSandbox(),
  ]);
  const secrets = providerSecrets(env, keyVariables);
  const { record } = options;
  const model = record === undefined ? loaded : await recordTo(loaded, { file: record, cwd, env, secrets });
  const { tools, unknown } = selectTools(builtin, options.tools);
  if (unknown.length > 0) note(`options.tools: there is no built-in tool ${unknown.join(', ')}.`);
  const policy = policyOf(options, { directories, env, tools });
  const maxRetries = modelRetries(env);
  const thinking = thinkingOf(options);
  return {
    agent,
    cwd,
    model,
    system: systemPromptText(options.systemPrompt),
    environment: () => describeEnvironment({ cwd, additionalDirectories, now: Date.now }),
    tools: tools.filter((tool) => !isToolRemoved(policy, tool.name)),
    policy,
    unattended: options.canUseTool === undefined ? 'deny' : 'wait',
    ...(options.canUseTool === undefined ? {} : { asker: canUseToolAsker(options.canUseTool, { note }) }),
    sandbox,
    env: commandEnvironment(env, keyVariables),
    secrets,
    ...(maxRetries === undefined ? {} : { retry: { maxRetries } }),
    ...(thinking === undefined ? {} : { thinking }),
    ...(options.effort === undefined ? {} : { effort: options.effort }),
  };
}

/** The session's folder, then the additional ones, absolute. */
function foldersOf(options: Options): readonly [string, ...string[]] {
  const cwd = folder('cwd', resolve(options.cwd ?? process.cwd()));
  return [
    cwd,
    ...(options.additionalDirectories ?? []).map((name) => folder('additionalDirectories', resolve(cwd, name))),
  ];
}

function folder(option: string, path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return path;
  throw new RondoError('input.invalid', `options.${option}: ${path} is not a folder.`, { details: { option, path } });
}

interface PolicyParts {
  readonly directories: readonly [string, ...string[]];
  readonly env: Environment;
  readonly tools: readonly Tool[];
}

function policyOf(options: Options, { directories, env, tools }: PolicyParts): Policy {
  return compilePolicy({
    directories,
    home: env['HOME'] ?? homedir(),
    tools,
    mode: options.permissionMode ?? 'default',
    allowedTools: options.allowedTools ?? [],
    disallowedTools: options.disallowedTools ?? [],
    allowDangerouslySkipPermissions: options.allowDangerouslySkipPermissions === true,
    isRoot: process.getuid?.() === 0,
    isSandbox: env['IS_SANDBOX'] === '1',
  });
}

function thinkingOf(options: Options): Thinking | undefined {
  if (options.thinking !== undefined) return options.thinking;
  if (options.maxThinkingTokens === undefined) return undefined;
  return options.maxThinkingTokens === 0
    ? { type: 'disabled' }
    : { type: 'enabled', budgetTokens: options.maxThinkingTokens };
}

async function loadTools(wanted: Options['tools']): Promise<readonly Tool[]> {
  if (Array.isArray(wanted) && wanted.length === 0) return [];
  const { builtinTools, createBuiltinTools } = await import('@rondo/tools');
  return Array.isArray(wanted) ? Object.values(builtinTools) : createBuiltinTools();
}
