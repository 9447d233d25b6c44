import type { PermissionMode } from '@rondo/protocol';
import type { ModelSettings } from '@rondo/providers';

/** Rules as text, and what else bounds what may run. */
export interface PermissionSettings {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly ask?: readonly string[];
  readonly defaultMode?: PermissionMode;
  readonly additionalDirectories?: readonly string[];
  readonly disableBypassPermissionsMode?: 'disable';
  readonly disableAutoMode?: 'disable';
  /** Rondo's own: the model that judges calls in the mode `auto`. */
  readonly classifierModel?: string;
  readonly [other: string]: unknown;
}

/** Which domains and sockets sandboxed commands reach. */
export interface SandboxNetworkConfig {
  readonly allowedDomains?: readonly string[];
  readonly deniedDomains?: readonly string[];
  /** Managed settings only: of all `allowedDomains` only those of managed settings count. */
  readonly allowManagedDomainsOnly?: boolean;
  readonly allowLocalBinding?: boolean;
  readonly allowUnixSockets?: readonly string[];
  readonly allowAllUnixSockets?: boolean;
  readonly allowMachLookup?: readonly string[];
  readonly httpProxyPort?: number;
  readonly socksProxyPort?: number;
  readonly [other: string]: unknown;
}

/** What sandboxed commands may read and write. */
export interface SandboxFilesystemConfig {
  readonly allowWrite?: readonly string[];
  readonly denyWrite?: readonly string[];
  readonly denyRead?: readonly string[];
  readonly allowRead?: readonly string[];
  readonly [other: string]: unknown;
}

export interface SandboxSettings {
  readonly enabled?: boolean;
  readonly failIfUnavailable?: boolean;
  readonly autoAllowBashIfSandboxed?: boolean;
  readonly excludedCommands?: readonly string[];
  readonly allowUnsandboxedCommands?: boolean;
  readonly network?: SandboxNetworkConfig;
  readonly filesystem?: SandboxFilesystemConfig;
  readonly ignoreViolations?: Readonly<Record<string, readonly string[]>>;
  readonly enableWeakerNestedSandbox?: boolean;
  readonly enableWeakerNetworkIsolation?: boolean;
  readonly ripgrep?: { readonly command: string; readonly args?: readonly string[] };
  readonly [other: string]: unknown;
}

/**
 * What a settings file, `options.settings` or `--settings` may say. Keys that only later versions or other products know
 * are kept as they are written.
 */
export interface Settings {
  readonly $schema?: string;
  readonly permissions?: PermissionSettings;
  /** By event, as written: who runs hooks reads the groups. */
  readonly hooks?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly model?: string;
  /** Rondo's own: short names, servers, facts about models. */
  readonly models?: ModelSettings;
  readonly sandbox?: SandboxSettings;
  readonly disableAllHooks?: boolean;
  /** Managed settings only: rules that allow count only from there. */
  readonly allowManagedPermissionRulesOnly?: boolean;
  readonly allowManagedHooksOnly?: boolean;
  readonly allowManagedMcpServersOnly?: boolean;
  readonly parentSettingsBehavior?: 'first-wins' | 'merge';
  readonly apiKeyHelper?: string;
  readonly [other: string]: unknown;
}
