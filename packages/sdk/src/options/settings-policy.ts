import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { PermissionMode } from '@rondo/protocol';
import { isRondoError, RondoError } from '@rondo/protocol/values';
import { compilePolicy, type Policy, type PolicySandbox, type Tool } from '@rondo/runtime';
import type { CountedSettings } from '../settings/counted-settings.ts';
import { layerRules } from '../settings/layer-rules.ts';
import type { SettingsLayer, SettingsProblem } from '../settings/settings-layer.ts';
import type { Environment } from './command-environment.ts';
import type { Options } from './options.ts';

export interface PolicyParts {
  readonly options: Pick<
    Options,
    'allowDangerouslySkipPermissions' | 'allowedTools' | 'disallowedTools' | 'permissionMode'
  >;
  /** The session's folder first, then those of the options. */
  readonly folders: readonly [string, ...string[]];
  /** The process's own: variables of settings cannot say that it is a throw-away machine. */
  readonly env: Environment;
  readonly tools: readonly Tool[];
  readonly counted: CountedSettings;
  /** The files of the settings and what they have run, which no call changes unasked. Absolute. */
  readonly files?: readonly string[];
  /** How an enforced sandbox counts. */
  readonly sandbox?: PolicySandbox | undefined;
  /** Whether rules that grant much are among the problems. */
  readonly advice?: boolean;
  /** The mode that sessions are at work in, which no settings change but to narrow it. */
  readonly mode?: PermissionMode;
}

export interface SettingsPolicy {
  readonly policy: Policy;
  /** Parts of the settings that do not count as they are written. */
  readonly problems: readonly SettingsProblem[];
}

/**
 * What may run: by the options and by every layer of the settings, judged together by the strictest.
 * @throws RondoError `permission.rule_unsupported` or `permission.bypass_refused` for what the options say.
 */
export function settingsPolicy(parts: PolicyParts): SettingsPolicy {
  const { folders, tools, counted } = parts;
  const rules = layerRules(counted.layers, tools, { advice: parts.advice ?? false });
  const additional = additionalFolders(counted.layers, folders[0], homeOf(parts));
  const { policy, problem } = withMode(parts, [...folders, ...additional.folders]);
  return {
    policy: rules.sources.length === 0 ? policy : { ...policy, sources: [...policy.sources, ...rules.sources] },
    problems: [...(problem === undefined ? [] : [problem]), ...additional.problems, ...rules.problems],
  };
}

interface ModePolicy {
  readonly policy: Policy;
  readonly problem?: SettingsProblem;
}

/** A mode that the options name is taken or refused; one of the settings that cannot be is no mode. */
function withMode(parts: PolicyParts, directories: readonly [string, ...string[]]): ModePolicy {
  const { options, counted } = parts;
  const key = 'permissions.defaultMode';
  const wanted = counted.settings.permissions?.defaultMode;
  const given = parts.mode ?? options.permissionMode;
  const disabled = disabledModes(counted);
  const refusedBy = given === undefined ? undefined : disabled.get(given);
  if (refusedBy !== undefined && parts.mode === undefined) {
    const message = `${given} is refused: ${refusedBy} switches it off for everybody here`;
    throw new RondoError('permission.bypass_refused', message, { details: { mode: given ?? 'default' } });
  }
  const named = refusedBy === undefined ? given : 'default';
  if (named !== undefined || wanted === undefined) return { policy: compiled(parts, directories, named ?? 'default') };
  const file = counted.origins.get(key)?.layers.at(-1)?.name ?? 'settings';
  try {
    const by = disabled.get(wanted);
    if (by !== undefined) throw new RondoError('permission.bypass_refused', `${by} switches it off`);
    return { policy: compiled(parts, directories, wanted) };
  } catch (error) {
    if (!isRondoError(error)) throw error;
    const problem = `cannot be ${wanted} here, so that it is default: ${error.message}`;
    return {
      policy: compiled(parts, directories, 'default'),
      problem: { file, key, problem, severity: 'warning' },
    };
  }
}

/** Each mode that a layer switches off, and the layer's name. */
function disabledModes({ origins, settings }: CountedSettings): ReadonlyMap<string, string> {
  const by = (key: string) => origins.get(`permissions.${key}`)?.layers.at(-1)?.name ?? 'settings';
  const { disableBypassPermissionsMode: bypass, disableAutoMode: auto } = settings.permissions ?? {};
  return new Map([
    ...(bypass === undefined ? [] : [['bypassPermissions', by('disableBypassPermissionsMode')] as const]),
    ...(auto === undefined ? [] : [['auto', by('disableAutoMode')] as const]),
  ]);
}

function compiled(parts: PolicyParts, directories: readonly [string, ...string[]], mode: PermissionMode): Policy {
  const { options, env, tools, counted } = parts;
  const disabled = disabledModes(counted);
  const isBypassOff = disabled.has('bypassPermissions');
  const onlyManaged = counted.layers.some(
    ({ source, settings }) => source === 'managed' && settings.allowManagedPermissionRulesOnly === true,
  );
  return compilePolicy({
    directories,
    home: homeOf(parts),
    tools,
    mode,
    ...(parts.files === undefined ? {} : { protected: parts.files }),
    allowedTools: onlyManaged ? [] : (options.allowedTools ?? []),
    disallowedTools: options.disallowedTools ?? [],
    allowDangerouslySkipPermissions: options.allowDangerouslySkipPermissions === true && !isBypassOff,
    hasClassifier: !disabled.has('auto'),
    isRoot: process.getuid?.() === 0,
    isSandbox: env['IS_SANDBOX'] === '1',
    ...(parts.sandbox === undefined ? {} : { sandbox: parts.sandbox }),
  });
}

function homeOf({ env }: PolicyParts): string {
  return env['HOME'] ?? homedir();
}

/** The folders that settings name beside the session's; what is none is told and left out. */
function additionalFolders(
  layers: readonly SettingsLayer[],
  cwd: string,
  home: string,
): { readonly folders: readonly string[]; readonly problems: readonly SettingsProblem[] } {
  const problems: SettingsProblem[] = [];
  const folders = new Set<string>();
  for (const { name, root, settings } of layers) {
    for (const written of settings.permissions?.additionalDirectories ?? []) {
      const path = resolve(
        root,
        written.replaceAll('\\', '/').replace(/^~(?=\/|$)/, () => home),
      );
      if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) folders.add(path);
      else {
        const problem = `names ${JSON.stringify(written)}, which is no folder here`;
        problems.push({ file: name, key: 'permissions.additionalDirectories', problem, severity: 'warning' });
      }
    }
  }
  folders.delete(cwd);
  return { folders: [...folders], problems };
}
