import { homedir } from 'node:os';
import { isToolRemoved, type EventHook } from '@rondo/runtime';
import { canUseToolAsker } from './can-use-tool-asker.ts';
import type { Environment } from './command-environment.ts';
import { describeEnvironment, findRepository } from './describe-environment.ts';
import { createLiveBinding, type LiveParts } from './live-binding.ts';
import { notePrice } from './note-price.ts';
import type { OpeningMoment } from './opening-moment.ts';
import type { Options } from './options.ts';
import { planInstructions } from './plan-instructions.ts';
import { systemPromptText } from './system-prompt.ts';
import { fallbackOf } from './fallback-model.ts';
import { outputOf } from '../output/output-format.ts';
import { permissionSaver } from './permission-saver.ts';
import type { QueryBinding } from './query-binding.ts';
import { foldersOf } from './session-folders.ts';
import { sessionClassifier } from './session-classifier.ts';
import { sessionHooks } from './session-hooks.ts';
import { sessionModels } from './session-models.ts';
import { sessionPolicyFeed } from './session-policy-feed.ts';
import { sessionSandboxes } from './session-sandboxes.ts';
import { sessionSettings, type SessionSettings } from './session-settings.ts';
import { sessionTools } from './session-tools.ts';
import { trackQuestions } from './tracked-questions.ts';
import { createTranscripts } from '../transcript/transcripts.ts';
import { protectedPlaces } from '../trust/protected-places.ts';

export interface CompileOptions {
  readonly env: Environment;
  /** Where the person's settings and the sessions are. */
  readonly home: string;
  /** Hears what a person may want to know. */
  readonly note: (text: string) => void;
  /** The model that the session ran with last, for when none is named. */
  readonly lastModel?: string | undefined;
  /** Shared with the sessions that open right now. */
  readonly moment?: OpeningMoment | undefined;
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
  const folders = foldersOf(options, compile.moment);
  const [cwd] = folders;
  const settings = await sessionSettings(options, { ...compile, cwd });
  const { counted } = settings;
  const protectedNow = () =>
    settings.together('protected places', () => protectedPlacesOf(settings, { ...compile, cwd }));
  const models = sessionModels({ options, ...compile, cwd, lastModel: compile.lastModel, first: counted });
  const sandboxes = sessionSandboxes({ options, folders, home: compile.env['HOME'], protectedNow, note });
  const [model, tools, sandbox, output] = await Promise.all([
    models.load(counted, undefined),
    sessionTools(options.tools, note),
    sandboxes(counted),
    outputOf(options.outputFormat),
  ]);
  noteBetas(options, model.model.name, note);
  notePrice(model.model, note);
  let eventHooks: readonly EventHook[] = [];
  const feed = sessionPolicyFeed({
    options,
    settings,
    folders,
    env: compile.env,
    tools,
    isolation: sandbox.isolation,
    protectedNow,
    isJudged: () => eventHooks.some(({ event }) => event === 'ConfigChange'),
    note,
  });
  const { first: policy, live: livePolicy } = feed;
  const hooks = sessionHooks({ callbacks: options.hooks, projectDir: cwd, tools, note });
  let current: LiveParts = { model, sandbox, hooks: await hooks(counted, model, policy) };
  ({ eventHooks } = current.hooks);
  const questions =
    options.canUseTool === undefined ? undefined : trackQuestions(canUseToolAsker(options.canUseTool, { note }));
  const classifier = await sessionClassifier({ options, counted: feed.counted, current: () => current.model });
  return createLiveBinding({
    options,
    feed,
    first: current,
    models,
    sandboxes,
    hooks,
    onChange(next) {
      current = next;
      ({ eventHooks } = next.hooks);
    },
    fixed: {
      agent,
      cwd,
      system: systemPromptText(options.systemPrompt),
      environment: () =>
        describeEnvironment({
          cwd,
          additionalDirectories: policy.directories.slice(1),
          now: Date.now,
          repository: settings.together('repository', () => findRepository(cwd)),
        }),
      tools: tools.filter((tool) => !isToolRemoved(policy, tool.name)),
      policy,
      livePolicy,
      savePermissions: permissionSaver({ cwd, home, livePolicy }),
      unattended: questions === undefined ? 'deny' : 'wait',
      ...(questions === undefined ? {} : { questions, asker: questions.asker }),
      classifier,
      transcripts: createTranscripts(note),
      ...(options.setup === undefined ? {} : { setup: options.setup }),
      ...output,
      ...(await fallbackOf({ options, ...model })),
      ...(options.taskBudget === undefined ? {} : { taskBudget: { total: options.taskBudget.total } }),
      ...(options.promptSuggestions === true ? { suggestsPrompts: true } : {}),
      planInstructions: planInstructions(options.planModeInstructions),
    },
  });
}

/** Other vendors know nothing by such names. */
function noteBetas({ betas = [] }: Options, model: string, note: CompileOptions['note']): void {
  if (betas.length === 0 || model.startsWith('anthropic/')) return;
  note(`options.betas has no effect with ${model}: names of betas are sent to Anthropic alone.`);
}

/** What nobody but its owner should write: the settings' files as they are now, and what they have run. Absolute. */
function protectedPlacesOf(
  { open }: SessionSettings,
  { cwd, env, home }: CompileOptions & { readonly cwd: string },
): readonly string[] {
  const userHome = env['HOME'] ?? homedir();
  return [...open.files(), ...protectedPlaces({ layers: open.current().layers, folder: cwd, userHome, home })];
}
