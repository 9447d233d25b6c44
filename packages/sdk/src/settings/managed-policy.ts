import type { Policy, Tool } from '@rondo/runtime';
import type { LoadSettingsOptions } from './settings-layer.ts';
import type { SandboxSettings } from './settings.ts';
import { managedFolder } from './settings-places.ts';
import { layerRules } from './layer-rules.ts';
import { mayBeThere } from './regular-file.ts';

/** What an administrator has to say about every session of this machine, whatever program it is of. */
export interface ManagedPolicy {
  /** The policy with the administrator's rules that deny and ask. None of his rules allows what a program does not. */
  within(policy: Policy, tools: readonly Tool[]): Policy;
  readonly sandbox: SandboxSettings | undefined;
}

/**
 * The administrator's policy, for programs that read no other settings. Nearly everywhere there is none, which costs one look.
 * @throws RondoError `input.invalid` where it cannot be relied on: nothing runs then.
 */
export async function loadManagedPolicy(
  place: Pick<LoadSettingsOptions, 'cwd' | 'env' | 'home'>,
): Promise<ManagedPolicy | undefined> {
  if (!mayBeThere(managedFolder())) return undefined;
  const [{ loadSettings }, { problemText, refuseBroken }, { mergeSettings }] = await Promise.all([
    import('./load-settings.ts'),
    import('./settings-problem.ts'),
    import('./merge-settings.ts'),
  ]);
  const loaded = await loadSettings({ ...place, settingSources: [] });
  refuseBroken(loaded);
  const { layers } = loaded;
  for (const problem of loaded.problems) {
    if (problem.severity !== 'notice') process.emitWarning(problemText(problem), 'RondoWarning');
  }
  if (layers.length === 0) return undefined;
  return {
    within(policy, tools) {
      const sources = layerRules(layers, tools).sources.flatMap((source) => {
        const rules = source.rules.filter(({ behavior }) => behavior !== 'allow');
        return rules.length === 0 ? [] : [{ ...source, rules }];
      });
      return sources.length === 0 ? policy : { ...policy, sources: [...policy.sources, ...sources] };
    },
    sandbox: mergeSettings(layers).settings.sandbox,
  };
}
