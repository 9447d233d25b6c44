import { homedir } from 'node:os';
import { isToolRemoved, type Binding, type EventHook } from '@rondo/runtime';
import { canUseToolAsker } from './can-use-tool-asker.ts';
import { commandEnvironment, withGitSettings, type Environment } from './command-environment.ts';
import { describeEnvironment } from './describe-environment.ts';
import { loadEventHooks } from './load-event-hooks.ts';
import { loadSandbox } from './load-sandbox.ts';
import { modelAccess } from './model-access.ts';
import { modelRetries } from './model-retries.ts';
import type { Options } from './options.ts';
import { recordTo } from './record-to.ts';
import { systemPromptText } from './system-prompt.ts';
import type { SettingsPolicyFeed } from '../settings/live-policy.ts';
import { outputOf } from '../output/output-format.ts';
import { permissionSaver } from './permission-saver.ts';
import { foldersOf } from './session-folders.ts';
import { sandboxSettingsOf } from './sandbox-settings-of.ts';
import { sessionClassifier } from './session-classifier.ts';
import { sessionPolicyFeed } from './session-policy-feed.ts';
import { sessionSettings, type SessionSettings } from './session-settings.ts';
import { sessionTools } from './session-tools.ts';
import { thinkingOf } from './thinking-of.ts';
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
  const { home, note } = compile;
  const folders = foldersOf(options);
  const [cwd] = folders;
  const settings = await sessionSettings(options, { ...compile, cwd });
  const { counted } = settings;
  const named = options.model ?? compile.lastModel;
  const access = await modelAccess({ options, counted, env: compile.env, home, cwd, named });
  const protectedNow = () => protectedPlacesOf(settings, { ...compile, cwd });
  const [loaded, tools, sandbox, output] = await Promise.all([
    access.load(named),
    sessionTools(options.tools, note),
    loadSandbox({
      settings: sandboxSettingsOf(counted, options.sandbox, cwd),
      folders,
      home: compile.env['HOME'],
      protected: protectedNow(),
      note,
    }),
    outputOf(options.outputFormat),
  ]);
  const { env, keyVariables, secrets } = access;
  const { record } = options;
  const model = record === undefined ? loaded : await recordTo(loaded, { file: record, cwd, env, secrets });
  let eventHooks: readonly EventHook[] = [];
  const isJudged = (): boolean => eventHooks.some(({ event }) => event === 'ConfigChange');
  const feed = sessionPolicyFeed({
    options,
    settings,
    folders,
    env: compile.env,
    tools,
    sandbox,
    protectedNow,
    isJudged,
    note,
  });
  const { first: policy, live: livePolicy } = feed;
  const commandEnv = withGitSettings(commandEnvironment(env, keyVariables), counted.gitEnvironment);
  eventHooks = await loadEventHooks({
    callbacks: options.hooks,
    layers: counted.layers,
    projectDir: cwd,
    env: commandEnv,
    keyVariables,
    model,
    loadModel: access.load,
    matching: { tools, directories: policy.directories, home: policy.home },
    note,
  });
  const classifier = await sessionClassifier({ options, counted: feed.counted, access, model });
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
    ...output,
    ...(thinking === undefined ? {} : { thinking }),
    ...(options.effort === undefined ? {} : { effort: options.effort }),
  };
}

/** What nobody but its owner should write: the settings' files as they are now, and what they have run. Absolute. */
function protectedPlacesOf(
  { open }: SessionSettings,
  { cwd, env, home }: CompileOptions & { readonly cwd: string },
): readonly string[] {
  const userHome = env['HOME'] ?? homedir();
  return [...open.files, ...protectedPlaces({ layers: open.current().layers, folder: cwd, userHome, home })];
}
