import type { EventHook, Model } from '@rondo/runtime';
import type { RuleMatcherOptions } from '../hooks/rule-matcher.ts';
import { asSettingsProblem } from '../settings/problems-of-layers.ts';
import type { SettingsLayer } from '../settings/settings-layer.ts';
import { isUrgent, problemText } from '../settings/settings-problem.ts';
import type { Options } from './options.ts';

export interface LoadEventHooksOptions {
  readonly callbacks: Options['hooks'];
  /** The settings that count, the lowest first. */
  readonly layers: readonly SettingsLayer[];
  readonly projectDir: string;
  /** What commands may see. */
  readonly env: Readonly<Record<string, string>>;
  /** Takes what `SessionStart` hooks set for later commands. */
  readonly setVariables: (variables: Readonly<Record<string, string>>) => void;
  readonly model: Model;
  readonly loadModel: (name: string) => Promise<Model>;
  /** What the rules of `if` are compared by. */
  readonly matching: RuleMatcherOptions;
  readonly note: (text: string) => void;
}

/**
 * Every hook that a session has: those of the settings, then the program's own. Loads nothing where there is none.
 * @throws RondoError `input.invalid` for a callback that would never run.
 */
export async function loadEventHooks(options: LoadEventHooksOptions): Promise<readonly EventHook[]> {
  const { callbacks, layers } = options;
  const [ofSettings, ofProgram] = await Promise.all([
    layers.some(({ settings }) => settings.hooks !== undefined) ? loadHooksOfSettings(options) : [],
    callbacks === undefined
      ? []
      : import('../hooks/hook-callbacks.ts').then(({ compileHookCallbacks }) => compileHookCallbacks(callbacks)),
  ]);
  return [...ofSettings, ...ofProgram];
}

async function loadHooksOfSettings(options: LoadEventHooksOptions): Promise<readonly EventHook[]> {
  const { layers, projectDir, env, setVariables, model, loadModel, matching, note } = options;
  const [{ hookSources }, { compileHookSettings }, { modelAsker }, { ruleMatcher }] = await Promise.all([
    import('../hooks/hook-sources.ts'),
    import('../hooks/compile-hook-settings.ts'),
    import('../hooks/ask-model.ts'),
    import('../hooks/rule-matcher.ts'),
  ]);
  const { hooks, problems } = compileHookSettings(hookSources(layers), {
    projectDir,
    env: () => env,
    setVariables,
    askModel: modelAsker({ model, load: loadModel }),
    matchesRule: ruleMatcher(matching),
  });
  for (const problem of problems) if (isUrgent(problem)) note(problemText(asSettingsProblem(problem)));
  return hooks;
}
