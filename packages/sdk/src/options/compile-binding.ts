import { homedir } from 'node:os';
import { isToolRemoved, type Binding, type EventHook, type Thinking, type Tool } from '@rondo/runtime';
import { canUseToolAsker } from './can-use-tool-asker.ts';
import { commandEnvironment, providerSecrets, withGitSettings, type Environment } from './command-environment.ts';
import { describeEnvironment } from './describe-environment.ts';
import { keyHelperOf, withKeyOf } from './key-helper.ts';
import { checkClassifierModel, createLazyClassifier } from './lazy-classifier.ts';
import { loadEventHooks } from './load-event-hooks.ts';
import { configuredKeyVariables, loadModel, takesAnthropicKey } from './load-model.ts';
import { loadSandbox, policySandbox } from './load-sandbox.ts';
import { modelRetries } from './model-retries.ts';
import type { Options } from './options.ts';
import { recordTo } from './record-to.ts';
import { selectTools } from './select-tools.ts';
import { systemPromptText } from './system-prompt.ts';
import { configuredModels } from '../settings/configured-models.ts';
import { createLivePolicy, type SettingsPolicyFeed } from '../settings/live-policy.ts';
import { permissionSaver } from './permission-saver.ts';
import { isUrgent, problemText } from '../settings/settings-problem.ts';
import { foldersOf } from './session-folders.ts';
import { sandboxSettingsOf } from './sandbox-settings-of.ts';
import { sessionSettings } from './session-settings.ts';
import { settingsPolicy } from './settings-policy.ts';
import { protectedPlaces } from '../trust/protected-places.ts';

export interface CompileOptions {
  readonly env: Environment;
  /** Where the person's settings and the sessions are. */
  readonly home: string;
  /** Hears what a person may want to know. */
  readonly note: (text: string) => void;
  /** The model that the session ran with last, for when none is named. */
  readonly lastModel?: string | undefined;
}

/** What `query()` runs with: its settings can be changed while it is at work. */
export interface QueryBinding extends Binding {
  readonly livePolicy: SettingsPolicyFeed;
}

/** The agent that every `query()` is: any of them may go on with a session of another. */
const agent = { name: 'rondo', fingerprint: 'query/v0' } as const;

/**
 * What a session runs with, from what `query()` was given. Loads the model's adapter, the tools and the sandbox at once.
 * @throws RondoError `input.invalid`, `model.unknown`, `model.key_missing`, `permission.rule_unsupported`,
 * `permission.bypass_refused`, `sandbox.unavailable`.
 */
export async function compileBinding(options: Options, compile: CompileOptions): Promise<QueryBinding> {
  const { home, note, lastModel } = compile;
  const { models } = options;
  const folders = foldersOf(options);
  const [cwd] = folders;
  const settings = await sessionSettings(options, { ...compile, cwd });
  const { counted } = settings;
  const given = { ...compile.env, ...counted.settings.env };
  const user = configuredModels(counted);
  const modelParts = { env: given, user, models, cwd, home };
  const helper = keyHelperOf(counted, cwd);
  const isHelped = helper !== undefined && (await takesAnthropicKey(options.model ?? lastModel, modelParts));
  const env = isHelped ? await withKeyOf(helper, given) : given;
  const keyVariables = configuredKeyVariables(user.models, models);
  const userHome = compile.env['HOME'] ?? homedir();
  const protectedNow = (): readonly string[] => [
    ...settings.open.files,
    ...protectedPlaces({ layers: settings.open.current().layers, folder: cwd, userHome, home }),
  ];
  const sandboxSettings = sandboxSettingsOf(counted, options.sandbox, cwd);
  const [loaded, builtin, sandbox] = await Promise.all([
    loadModel(options.model ?? lastModel, { env, user, models, cwd, home }),
    loadTools(options.tools),
    loadSandbox({
      settings: sandboxSettings,
      folders,
      home: compile.env['HOME'],
      protected: protectedNow(),
      note,
    }),
  ]);
  const secrets = [...providerSecrets(env, keyVariables), ...secretsOf(options.classifierModel)];
  const { record } = options;
  const model = record === undefined ? loaded : await recordTo(loaded, { file: record, cwd, env, secrets });
  const { tools, unknown } = selectTools(builtin, options.tools);
  if (unknown.length > 0) note(`options.tools: there is no built-in tool ${unknown.join(', ')}.`);
  const parts = {
    options,
    folders,
    env: compile.env,
    tools,
    sandbox: policySandbox(sandboxSettings, sandbox),
  };
  const { policy, problems } = settingsPolicy({ ...parts, files: protectedNow(), counted });
  let current = counted;
  let eventHooks: readonly EventHook[] = [];
  const livePolicy = createLivePolicy({
    settings: settings.open,
    first: policy,
    isJudged: () => eventHooks.some(({ event }) => event === 'ConfigChange'),
    compile: async () => {
      current = await settings.recount();
      return settingsPolicy({ ...parts, files: protectedNow(), counted: current, mode: policy.mode });
    },
  });
  for (const problem of problems) if (isUrgent(problem)) note(problemText(problem));
  const commandEnv = withGitSettings(commandEnvironment(env, keyVariables), counted.gitEnvironment);
  eventHooks = await loadEventHooks({
    callbacks: options.hooks,
    layers: counted.layers,
    projectDir: cwd,
    env: commandEnv,
    keyVariables,
    model,
    loadModel: (name) => loadModel(name, { env, user, models, cwd, home }),
    matching: { tools, directories: policy.directories, home: policy.home },
    note,
  });
  const { classifierModel } = options;
  const judgedBy = classifierModel ?? counted.settings.permissions?.classifierModel;
  if (options.permissionMode === 'auto' && typeof judgedBy === 'string') {
    const source = classifierModel === undefined ? 'permissions.classifierModel' : 'options.classifierModel';
    await checkClassifierModel(judgedBy, { env, user, models, home, source, isHelped: helper !== undefined });
  }
  const classifier = createLazyClassifier({
    model,
    named: () => classifierModel ?? current.settings.permissions?.classifierModel,
    async load(name) {
      const isKeyHelped = helper !== undefined && (await takesAnthropicKey(name, modelParts));
      return await loadModel(name, { ...modelParts, env: isKeyHelped ? await withKeyOf(helper, given) : env });
    },
  });
  const maxRetries = modelRetries(env);
  const thinking = thinkingOf(options);
  return {
    agent,
    cwd,
    model,
    system: systemPromptText(options.systemPrompt),
    environment: () => describeEnvironment({ cwd, additionalDirectories: policy.directories.slice(1), now: Date.now }),
    tools: tools.filter((tool) => !isToolRemoved(policy, tool.name)),
    policy,
    livePolicy,
    savePermissions: permissionSaver({ cwd, home, livePolicy }),
    unattended: options.canUseTool === undefined ? 'deny' : 'wait',
    ...(options.canUseTool === undefined ? {} : { asker: canUseToolAsker(options.canUseTool, { note }) }),
    classifier,
    sandbox,
    env: commandEnv,
    ...(eventHooks.length === 0 ? {} : { eventHooks }),
    ...(options.setup === undefined ? {} : { setup: options.setup }),
    secrets,
    ...(maxRetries === undefined ? {} : { retry: { maxRetries } }),
    ...(thinking === undefined ? {} : { thinking }),
    ...(options.effort === undefined ? {} : { effort: options.effort }),
  };
}

function secretsOf(model: Options['classifierModel']): readonly string[] {
  return typeof model === 'object' ? (model.secrets ?? []) : [];
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
