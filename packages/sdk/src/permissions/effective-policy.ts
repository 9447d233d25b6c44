import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { resolveHome } from '@rondo/runtime/node';
import type { Policy, PolicySource } from '@rondo/runtime';
import { readPermissionRules } from '@rondo/runtime';
import type { Environment } from '../options/command-environment.ts';
import type { Options } from '../options/options.ts';
import { foldersOf } from '../options/session-folders.ts';
import { sessionSettings } from '../options/session-settings.ts';
import { settingsPolicy } from '../options/settings-policy.ts';
import { problemText, worstFirst } from '../settings/settings-problem.ts';
import { protectedPlaces } from '../trust/protected-places.ts';
import { permissionTool } from './permission-tool.ts';

/** What of `query()`'s options decides what may run. */
export interface PermissionOptions
  extends Pick<
    Options,
    | 'additionalDirectories'
    | 'allowDangerouslySkipPermissions'
    | 'allowedTools'
    | 'cwd'
    | 'disallowedTools'
    | 'env'
    | 'home'
    | 'managedSettings'
    | 'permissionMode'
    | 'settings'
    | 'settingSources'
    | 'trustFolder'
  > {
  /** Rules that ask, beside those of settings. */
  askTools?: readonly string[];
}

export interface EffectivePolicy {
  readonly policy: Policy;
  /** What is to be said of the settings that it comes from. */
  readonly notices: readonly string[];
  /** What is left out for want of trust. */
  readonly untrusted?: string;
  /** The model that settings name to judge calls in the mode `auto`; the session's own where none does. */
  readonly classifierModel?: string;
}

const builtinNames = ['Read', 'Write', 'Edit', 'Bash', 'Glob', 'Grep'] as const;

/** The policy that a session with these options would begin with, by the code that begins one. */
export async function effectivePolicy(options: PermissionOptions): Promise<EffectivePolicy> {
  const env: Environment = options.env ?? process.env;
  const home = options.home === undefined ? resolveHome(env) : resolve(options.home);
  const folders = foldersOf(options);
  const { counted, open } = await sessionSettings(options, { cwd: folders[0], home, env, note: () => {} });
  const tools = await Promise.all(builtinNames.map(permissionTool));
  const userHome = env['HOME'] ?? homedir();
  const { layers } = open.current();
  const { policy, problems } = settingsPolicy({
    options,
    folders,
    env: { ...env, HOME: userHome },
    tools,
    files: [...open.files(), ...protectedPlaces({ layers, folder: folders[0], userHome, home })],
    counted,
    advice: true,
  });
  const { classifierModel } = counted.settings.permissions ?? {};
  const { rules } = readPermissionRules(options.askTools, 'ask', { tools });
  const asked: PolicySource[] = rules.length === 0 ? [] : [{ name: 'askTools', evaluation: 'strictest', rules }];
  return {
    policy: { ...policy, sources: [...policy.sources, ...asked] },
    notices: worstFirst([...open.current().problems, ...problems]).map(problemText),
    ...(counted.untrusted === undefined ? {} : { untrusted: counted.untrusted }),
    ...(classifierModel === undefined ? {} : { classifierModel }),
  };
}
