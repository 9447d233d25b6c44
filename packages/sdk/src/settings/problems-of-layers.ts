import type { HookProblem } from '../hooks/hook-entry.ts';
import { commandEnvironment } from '../options/command-environment.ts';
import { layerRules } from './layer-rules.ts';
import type { SettingsLayer, SettingsProblem } from './settings-layer.ts';
import { worstFirst } from './settings-problem.ts';

/** What is to be said of the rules of these settings, advice included; the worst first. */
export function problemsOfRules(layers: readonly SettingsLayer[]): readonly SettingsProblem[] {
  if (!layers.some(({ settings }) => settings.permissions !== undefined)) return [];
  return worstFirst(layerRules(layers, [], { advice: true }).problems);
}

/** Of hooks the right form is given as it is to be written. */
export function asSettingsProblem(problem: HookProblem): SettingsProblem {
  const { suggestion } = problem;
  return suggestion === undefined ? problem : { ...problem, suggestion: `write ${suggestion}` };
}

/** What is to be said of the hooks of these settings; the worst first. Runs none of them. */
export async function problemsOfHooks(
  layers: readonly SettingsLayer[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
): Promise<readonly SettingsProblem[]> {
  if (!layers.some(({ settings }) => settings.hooks !== undefined)) return [];
  const [{ hookSources }, { compileHookSettings }] = await Promise.all([
    import('../hooks/hook-sources.ts'),
    import('../hooks/compile-hook-settings.ts'),
  ]);
  const { problems } = compileHookSettings(hookSources(layers), {
    projectDir: cwd,
    env: () => commandEnvironment(env),
    matchesRule: () => false,
    askModel: () => Promise.reject(new Error('hooks are only looked at')),
  });
  return worstFirst(problems.map(asSettingsProblem));
}
